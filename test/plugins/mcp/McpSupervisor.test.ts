import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { messagesOf, reaped, startsOf } from "../../support/McpServers.ts"
import { liveTest } from "../../support/liveTest.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { passTime } from "../../support/passTime.ts"
import { waitFor } from "../../support/waitFor.ts"
import { openFaulty, beside, isLeftOut, failsAlone } from "../../support/FaultyMcpServers.ts"

/** A server with a fault and no other one. */
const alone = (fault: string) => openFaulty(fault, {})

const broken = (detail: string) => ["io_error", `The server "s" could not run the tool: ${detail}`]
const twice = broken("it failed again after a restart and is not restarted again in this run.")

describe("a server that never becomes ready", () => {
  isLeftOut([
    ["exits", "its program has ended with exit code 3. It wrote to stderr: cannot find the key\u001b[31m"],
    ["strange", "it supports none of the protocol revisions 2024-11-05 to 2025-11-25."],
    ["no tools", "it offers no tools that can be used."],
    ["deep", "its description of itself cannot be read: Maximum call stack size exceeded."]
  ])
})

describe("a server that breaks during a call", () => {
  liveTest("is started once more for the next call, and the call that broke is not repeated", function* () {
    const { folder, say } = yield* alone("dies")
    assert.deepStrictEqual(yield* say, broken("its program has ended with exit code 7."))
    assert.strictEqual(yield* say, '2: {"text":"a"}')
    assert.strictEqual(yield* say, '2: {"text":"a"}')
    assert.strictEqual(startsOf(folder).length, 2)
    assert.strictEqual(messagesOf(folder).filter((method) => method === "tools/call").length, 3)
  })

  liveTest("is not started a third time when the restart did not help, and the others go on", function* () {
    const { folder, say, sayOther } = yield* beside("dies always")
    const first = yield* say
    assert.deepStrictEqual([first, yield* say, yield* say, yield* say], [first, first, twice, twice])
    assert.match(String(first), /io_error.*It wrote to stderr: out of luck$/)
    assert.strictEqual(yield* sayOther, '1: {"text":"b"}')
    assert.strictEqual(startsOf(folder).length, 2)
  })

  liveTest("is found dead before a call, which then goes to the new one", function* () {
    const { folder, say } = yield* alone("none")
    const [pid = 0] = startsOf(folder)
    process.kill(pid, "SIGKILL")
    yield* reaped(pid)
    assert.strictEqual(yield* say, '2: {"text":"a"}')
  })

  liveTest("is not called when it describes the tool differently since", function* () {
    const { folder, say } = yield* alone("changes")
    yield* say
    const changed =
      'The server "s" could not run the tool: its definition of this tool changed with a restart, so the tool is not called in this run.'
    assert.deepStrictEqual(yield* say, ["permission_denied", changed])
    assert.strictEqual(messagesOf(folder).filter((method) => method === "tools/call").length, 1)
  })
})

describe("an answer", () => {
  failsAlone([
    ["refuses", "validation_failed", /the text is missing \(code -32602\)\.$/],
    ["malformed answer", "parse_error", /it answered with something that is not well formed/],
    ["deep answer", "internal_error", /its result is nested more than 64 levels deep\.$/]
  ])
  liveTest("is taken when only its text looks like deep JSON", function* () {
    const { say } = yield* alone("deep text")
    assert.include(JSON.stringify(yield* say), '"structured":{"a":1}')
  })

  for (const fault of ["never answers", "wrong ids"]) {
    nodeTest(`is waited for until the time of the tool is over, and the server told: ${fault}`, function* () {
      const { folder, say, sayOther } = yield* beside(fault, { toolSeconds: 3 })
      const message = "The tool mcp__s__say was stopped after 3 s (limits.toolSeconds). Ask for less work in one call."
      const called = yield* Effect.forkChild(say)
      yield* waitFor("the call", () => messagesOf(folder).at(-1) === "tools/call")
      assert.deepStrictEqual(yield* passTime(Fiber.join(called), "100 millis"), ["timeout", message])
      assert.strictEqual(yield* sayOther, '1: {"text":"b"}')
      yield* waitFor("the notification", () => messagesOf(folder).at(-1) === "notifications/cancelled")
    })
  }

  liveTest("changes no tool of the run when the server says that its list has changed", function* () {
    const { folder, registry, say } = yield* alone("list changed")
    const before = registry.find("mcp__s__say")
    assert.strictEqual(yield* say, '1: {"text":"a"}')
    assert.strictEqual(yield* say, '1: {"text":"a"}')
    assert.deepStrictEqual(registry.find("mcp__s__say"), before)
    assert.strictEqual(messagesOf(folder).filter((method) => method === "tools/list").length, 1)
  })
})

const skipped = (first: string) =>
  `The server "s" is used, but task-conductor skips lines that it writes to stdout and that are not messages. The first is ${JSON.stringify(first)}. Its log belongs on stderr.`
const cut = (how: string) =>
  `The server "s" is used, but it ends the list of its tools ${how}, which is a fault of the server: tools on later pages may be missing.`

describe("a server that does what it should not is used, and named once", () => {
  const faults: ReadonlyArray<readonly [fault: string, problems: ReadonlyArray<string>, requests: number]> = [
    ["logs to stdout", [skipped("Server started on stdin")], 1],
    ["logs before messages", [], 1],
    ["mark of the encoding", [], 1],
    ["cursor null", [], 1],
    ["cursor empty", [cut("with an empty cursor")], 1],
    ["cursor number", [cut("with a cursor that is no text")], 1],
    ["cursor same", [cut("with a cursor that it gave before")], 2],
    ["cursor grows", [cut("with a page whose tools were all listed before")], 2]
  ]
  for (const [fault, expected, requests] of faults) {
    liveTest(fault, function* () {
      const { events, folder, problems, say } = yield* alone(fault)
      assert.deepStrictEqual(problems, expected)
      assert.strictEqual(yield* say, '1: {"text":"a"}')
      assert.strictEqual(messagesOf(folder).filter((method) => method === "tools/list").length, requests)
      assert.deepStrictEqual(
        events().filter(({ type }) => type === "message"),
        []
      )
    })
  }

  liveTest("logs during calls", function* () {
    const { events, problems, say } = yield* alone("logs during calls")
    assert.deepStrictEqual(problems, [])
    assert.deepStrictEqual([yield* say, yield* say], ['1: {"text":"a"}', '1: {"text":"a"}'])
    assert.deepStrictEqual(
      events().filter(({ type }) => type === "message"),
      [{ type: "message", level: "warning", text: skipped("called say") }]
    )
  })
})

liveTest("speaks to a server of an older revision of the protocol", function* () {
  const { say } = yield* alone("old")
  assert.strictEqual(yield* say, '1: {"text":"a"}')
})
