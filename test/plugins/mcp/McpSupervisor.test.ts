import { WaitingNotice } from "../../../src/services/plugins/WaitingNotice.ts"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { closedIn, isRunning, messagesOf, reaped, scriptedServer, startsOf } from "../../support/McpServers.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { openMcp, type OpenMcp } from "../../support/OpenMcp.ts"
import { passTime } from "../../support/passTime.ts"
import { makeFolder } from "../../support/Project.ts"
import { waitFor } from "../../support/waitFor.ts"

const liveTest = <A, E>(name: string, body: () => Effect.Effect<A, E, NodeServices.NodeServices | Scope.Scope>): void =>
  it.live(name, () => Effect.provide(body(), NodeServices.layer))

/** Faults of servers that run and never become ready: their time has to be over. */
const unready = new Set(["silent", "only logs"])

/** A server with a fault, beside these servers, all of the user. */
const openFaulty = Effect.fnUntraced(function* (fault: string, others: NonNullable<OpenMcp["own"]>, limits = {}) {
  const folder = yield* makeFolder
  const opened = yield* openMcp({
    own: { s: { ...scriptedServer(folder, fault), startTimeout: unready.has(fault) ? 1 : 60 }, ...others },
    rules: [
      { verdict: "allow", tool: "mcp__s__say" },
      { verdict: "allow", tool: "mcp__other__say" }
    ],
    limits
  })
  return { ...opened, folder, say: opened.call("mcp__s__say", { text: "a" }) }
})

/** A server with a fault and no other one. */
const alone = (fault: string) => openFaulty(fault, {})

/** A healthy server beside one with a fault. */
const beside = Effect.fnUntraced(function* (fault: string, limits = {}) {
  const opened = yield* openFaulty(fault, { other: scriptedServer(yield* makeFolder) }, limits)
  return { ...opened, sayOther: opened.call("mcp__other__say", { text: "b" }) }
})

const broken = (detail: string) => ["io_error", `The server "s" could not run the tool: ${detail}`]
const twice = broken("it failed again after a restart and is not restarted again in this run.")

describe("a server that never becomes ready", () => {
  const faults: ReadonlyArray<readonly [fault: string, detail: string | RegExp]> = [
    [
      "silent",
      'it was not ready in time. Fix the server, give it more seconds with "startTimeout", or leave it out with "disabled".'
    ],
    ["exits", "its program has ended with exit code 3. It wrote to stderr: cannot find the key\u001b[31m"],
    ["strange", "it supports none of the protocol revisions 2024-11-05 to 2025-11-25."],
    ["no tools", "it offers no tools that can be used."],
    ["deep", "its description of itself cannot be read: Maximum call stack size exceeded."],
    [
      "only logs",
      'it was not ready in time. Fix the server, give it more seconds with "startTimeout", or leave it out with "disabled". It wrote something to stdout that is not a message: Usage: server [options]'
    ]
  ]
  for (const [fault, detail] of faults) {
    liveTest(`is left out with the reason when it: ${fault}`, () =>
      Effect.gen(function* () {
        const { folder, names, problems, sayOther } = yield* beside(fault)
        const [problem = ""] = problems
        const prefix = 'The server "s" is not used: '
        assert.strictEqual(problems.length, 1)
        assert.isTrue(problem.startsWith(prefix), problem)
        if (typeof detail === "string") assert.strictEqual(problem.slice(prefix.length), detail)
        else assert.match(problem.slice(prefix.length), detail)
        assert.deepStrictEqual(names, ["mcp__other__say"])
        assert.strictEqual(yield* sayOther, '1: {"text":"b"}')
        if (fault !== "no tools") assert.deepStrictEqual(startsOf(folder).filter(isRunning), [])
      })
    )
  }
})

describe("a server that takes long to start", () => {
  liveTest("is named after two seconds, and a quick one is not", () =>
    Effect.gen(function* () {
      const [slow, quick] = [yield* makeFolder, yield* makeFolder]
      const lines: Array<string> = []
      const own = { slow: { ...scriptedServer(slow, "silent"), startTimeout: 3 }, quick: scriptedServer(quick) }
      const tell = (line: string) => Effect.sync(() => void lines.push(line))
      yield* Effect.provideService(openMcp({ own }), WaitingNotice, tell)
      assert.deepStrictEqual(lines, ['Waiting for the MCP server "slow", 3 seconds at most: prompts list its tools.'])
    })
  )
})

describe("a server that breaks during a call", () => {
  liveTest("is started once more for the next call, and the call that broke is not repeated", () =>
    Effect.gen(function* () {
      const { folder, say } = yield* alone("dies")
      assert.deepStrictEqual(yield* say, broken("its program has ended with exit code 7."))
      assert.strictEqual(yield* say, '2: {"text":"a"}')
      assert.strictEqual(yield* say, '2: {"text":"a"}')
      assert.strictEqual(startsOf(folder).length, 2)
      assert.strictEqual(messagesOf(folder).filter((method) => method === "tools/call").length, 3)
    })
  )

  liveTest("is not started a third time when the restart did not help, and the others go on", () =>
    Effect.gen(function* () {
      const { folder, say, sayOther } = yield* beside("dies always")
      const first = yield* say
      assert.deepStrictEqual([first, yield* say, yield* say, yield* say], [first, first, twice, twice])
      assert.match(String(first), /io_error.*It wrote to stderr: out of luck$/)
      assert.strictEqual(yield* sayOther, '1: {"text":"b"}')
      assert.strictEqual(startsOf(folder).length, 2)
    })
  )

  liveTest("is found dead before a call, which then goes to the new one", () =>
    Effect.gen(function* () {
      const { folder, say } = yield* alone("none")
      const [pid = 0] = startsOf(folder)
      process.kill(pid, "SIGKILL")
      yield* reaped(pid)
      assert.strictEqual(yield* say, '2: {"text":"a"}')
    })
  )

  liveTest("is not called when it describes the tool differently since", () =>
    Effect.gen(function* () {
      const { folder, say } = yield* alone("changes")
      yield* say
      const changed =
        'The server "s" could not run the tool: its definition of this tool changed with a restart, so the tool is not called in this run.'
      assert.deepStrictEqual(yield* say, ["permission_denied", changed])
      assert.strictEqual(messagesOf(folder).filter((method) => method === "tools/call").length, 1)
    })
  )
})

describe("an answer", () => {
  const faults: ReadonlyArray<readonly [fault: string, type: string, message: RegExp]> = [
    ["huge answer", "output_limit", /sent a message of more than 10 MiB\.$/],
    ["refuses", "validation_failed", /the text is missing \(code -32602\)\.$/],
    ["malformed answer", "parse_error", /it answered with something that is not well formed/],
    ["deep answer", "internal_error", /its result is nested more than 64 levels deep\.$/]
  ]
  for (const [fault, type, message] of faults) {
    liveTest(`fails its call alone: ${fault}`, () =>
      Effect.gen(function* () {
        const { say, sayOther } = yield* beside(fault)
        const [failed, text] = (yield* say) as [string, string]
        assert.strictEqual(failed, type)
        assert.match(text, message)
        assert.strictEqual(yield* sayOther, '1: {"text":"b"}')
      })
    )
  }

  liveTest("is taken when only its text looks like deep JSON", () =>
    Effect.gen(function* () {
      const { say } = yield* alone("deep text")
      assert.include(JSON.stringify(yield* say), '"structured":{"a":1}')
    })
  )

  for (const fault of ["never answers", "wrong ids"]) {
    nodeTest(`is waited for until the time of the tool is over, and the server told: ${fault}`, () =>
      Effect.gen(function* () {
        const { folder, say, sayOther } = yield* beside(fault, { toolSeconds: 3 })
        const message =
          "The tool mcp__s__say was stopped after 3 s (limits.toolSeconds). Ask for less work in one call."
        const called = yield* Effect.forkChild(say)
        yield* waitFor("the call", () => messagesOf(folder).at(-1) === "tools/call")
        assert.deepStrictEqual(yield* passTime(Fiber.join(called), "100 millis"), ["timeout", message])
        assert.strictEqual(yield* sayOther, '1: {"text":"b"}')
        yield* waitFor("the notification", () => messagesOf(folder).at(-1) === "notifications/cancelled")
      })
    )
  }

  liveTest("changes no tool of the run when the server says that its list has changed", () =>
    Effect.gen(function* () {
      const { folder, registry, say } = yield* alone("list changed")
      const before = registry.find("mcp__s__say")
      assert.strictEqual(yield* say, '1: {"text":"a"}')
      assert.strictEqual(yield* say, '1: {"text":"a"}')
      assert.deepStrictEqual(registry.find("mcp__s__say"), before)
      assert.strictEqual(messagesOf(folder).filter((method) => method === "tools/list").length, 1)
    })
  )
})

describe("the end of a run", () => {
  for (const fault of ["none", "never answers", "stays"]) {
    liveTest(`leaves no process behind of a server that has the fault: ${fault}`, () =>
      Effect.gen(function* () {
        const folder = yield* makeFolder
        yield* Effect.scoped(openMcp({ own: { s: scriptedServer(folder, fault) } }))
        assert.deepStrictEqual(startsOf(folder).map(isRunning), [false])
      })
    )
  }

  nodeTest("ends several servers that do not want to end at the same time", () =>
    Effect.gen(function* () {
      const folders = [yield* makeFolder, yield* makeFolder, yield* makeFolder]
      const own = Object.fromEntries(folders.map((folder, index) => [`s${index}`, scriptedServer(folder, "stays")]))
      const scope = yield* Scope.make()
      yield* Scope.provide(openMcp({ own }), scope)
      const pids = folders.flatMap(startsOf)
      const closed = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      /* The clock stands still, so none of them can have been waited for before the next was told. */
      yield* waitFor("the end of every stdin", () => folders.flatMap(closedIn).length === 3)
      assert.deepStrictEqual(pids.map(isRunning), [true, true, true])
      yield* passTime(Fiber.join(closed), "100 millis")
      assert.deepStrictEqual(pids.map(isRunning), [false, false, false])
    })
  )
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
    liveTest(fault, () =>
      Effect.gen(function* () {
        const { events, folder, problems, say } = yield* alone(fault)
        assert.deepStrictEqual(problems, expected)
        assert.strictEqual(yield* say, '1: {"text":"a"}')
        assert.strictEqual(messagesOf(folder).filter((method) => method === "tools/list").length, requests)
        assert.deepStrictEqual(
          events().filter(({ type }) => type === "message"),
          []
        )
      })
    )
  }

  liveTest("logs during calls", () =>
    Effect.gen(function* () {
      const { events, problems, say } = yield* alone("logs during calls")
      assert.deepStrictEqual(problems, [])
      assert.deepStrictEqual([yield* say, yield* say], ['1: {"text":"a"}', '1: {"text":"a"}'])
      assert.deepStrictEqual(
        events().filter(({ type }) => type === "message"),
        [{ type: "message", level: "warning", text: skipped("called say") }]
      )
    })
  )
})

it.live("speaks to a server of an older revision of the protocol", () =>
  Effect.gen(function* () {
    const { say } = yield* alone("old")
    assert.strictEqual(yield* say, '1: {"text":"a"}')
  }).pipe(Effect.provide(NodeServices.layer))
)
