import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { demoLine, makeSandbox } from "../../support/binary.ts"
import { conductAt } from "../../support/ConductorTerminal.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import { fakeModel } from "../../support/FakeOllamaPaths.ts"
import type { Reply } from "../../support/FakeOllamaReply.ts"
import { inOrder } from "../../support/FakeOllamaScript.ts"
import { needsTerminal } from "../../support/PseudoTerminal.ts"
import { liveTest } from "../../support/liveTest.ts"

const sandbox = makeSandbox()
const question = "Where is the port of the server defined?"
const embedded = ["ask", "--model", "embedded", "--allow", "read_file"]

beforeAll(() => {
  sandbox.write("project/README.md", "# Weather\n\nA small weather service.\n")
  sandbox.write("project/src/server.ts", "/** The port of the server. */\nexport const serverPort = 8042\n")
})
afterAll(sandbox.remove)

const jsonLines = (stdout: string): ReadonlyArray<Record<string, unknown>> =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe("ask", () => {
  it("answers on stdout and shows each call with its outcome on stderr", async () => {
    const { code, stderr, stdout } = await sandbox.run([...embedded, question])
    assert.strictEqual(code, 0, stderr)
    assert.match(
      stdout,
      /^Found \d+ lines in 1 file:\n\n- \[src\/server\.ts\]\(src\/server\.ts#L2\) `export const serverPort = 8042`\n/
    )
    assert.deepStrictEqual(
      stderr
        .replace(/\d+ ms/g, "N ms")
        .replace(/\d+\.\d s/, "N s")
        // Calls that only read run side by side: either may end first.
        .replace(/ok search_files "(?:server|port)"/g, "ok search_files ONE")
        .split("\n")
        .slice(2),
      [
        '  call search_files "server"',
        '  call search_files "port"',
        "  ok search_files ONE N ms: 2 matches in 1 file, letter case ignored. (4 lines)",
        "  ok search_files ONE N ms: 2 matches in 1 file, letter case ignored. (4 lines)",
        "done: 2 model calls, 2 tool calls, N s",
        ""
      ]
    )
    assert.match(
      stderr,
      /^Using the built-in demo, which only searches and quotes.\nask \d{8}-\d{6}-\w{4} with embedded in <root>\/project\n/
    )
  })

  it("says once, and in words, why a conversation is not kept", async () => {
    sandbox.write("state/task-conductor", "")
    const env = { XDG_STATE_HOME: join(sandbox.root, "state") }
    const { code, stderr } = await sandbox.run([...embedded, question], { env })
    assert.strictEqual(code, 0)
    assert.lengthOf(stderr.split(demoLine.trim()), 2)
    assert.include(
      stderr,
      "cannot be saved in <root>/state/task-conductor. A part of the path is a file, not a folder. You can go on, but --continue will not find it.\n"
    )
    const quiet = await sandbox.run([...embedded, "--quiet", question], { env })
    assert.deepStrictEqual([quiet.code, quiet.stderr], [0, ""])
  })

  it("streams JSON Lines from run.started to run.finished and nothing else", async () => {
    const { code, stderr, stdout } = await sandbox.run([...embedded, "--json", question])
    assert.deepStrictEqual([code, stderr], [0, demoLine])
    const lines = jsonLines(stdout)
    /* Two calls side by side: either may be first, each begins before it ends. */
    const beside = lines.slice(4, 8).map(({ id, type }) => `${(id as { uid: string }).uid} ${String(type)}`)
    assert.deepStrictEqual(
      beside.toSorted(),
      ["call-1", "call-2"].flatMap((uid) => [`turn-1/${uid} tool.finished`, `turn-1/${uid} tool.started`])
    )
    for (const started of beside.filter((one) => one.endsWith("started")))
      assert.isBelow(beside.indexOf(started), beside.indexOf(started.replace("started", "finished")))
    const others = lines.toSpliced(4, 4).map(({ type }) => type)
    const calls = "model.started model.finished model.started model.finished"
    assert.strictEqual(others.join(" "), `run.started ask.started ${calls} ask.finished run.finished`)
    const last = lines.at(-1) as { exit_code: number; report: { status: string; answer: string } }
    assert.deepStrictEqual([last.exit_code, last.report.status], [0, "done"])
    assert.deepInclude(lines[1], { message: 1, text: question })
  })

  it("answers without a read that was denied, and says how to allow it", async () => {
    const allow = ["--allow", "read_file:README.md"]
    const words = ["ask", "--model", "embedded", ...allow, "What do README.md and src/server.ts say?"]
    const { code, stderr, stdout } = await sandbox.run(words)
    assert.strictEqual(code, 0)
    assert.include(stdout, "README.md#L1")
    assert.notInclude(stdout, "src/server.ts#L")
    const given = await sandbox.run([...words, "--yes"])
    assert.strictEqual(given.code, 0, given.stderr)
    assert.include(given.stderr, "ok read_file src/server.ts")
    assert.include(stderr, 'nobody could be asked; --allow "read_file:src/server.ts" allows it')
    assert.notInclude(stdout, "--allow")
  })
})

/** Asks a server with these replies through the binary. */
const asking = (replies: readonly [Reply | string, ...ReadonlyArray<Reply | string>], args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const models = [{ name: fakeModel }, { name: "old", capabilities: ["completion"] }]
    const server = yield* FakeOllama.make(inOrder(...replies), { models })
    return yield* Effect.promise(() => sandbox.run(["ask", ...args], { env: { OLLAMA_HOST: server.url } }))
  }).pipe(Effect.scoped)

const counting: Reply = { toolCalls: [{ name: "get_current_time", arguments: {} }] }

describe("ask with a server", () => {
  liveTest("answers with a model that cannot call tools: calls are text", function* () {
    const call =
      '## Tool Calls\n\n```json\n{ "uid": "a", "name": "search_files", "arguments": { "pattern": "8042" } }\n```'
    const answer = "It is [8042](src/server.ts#L2)."
    const { code, stderr, stdout } = yield* asking([call, answer], ["--model", "old", "Which port?"])
    assert.deepStrictEqual([code, stdout], [0, `${answer}\n`], stderr)
    assert.include(stderr, 'ok search_files "8042"')
  })

  liveTest("ends with 6 at the limit, with an answer that says so", function* () {
    sandbox.write("limited/task-conductor.json", '{ "limits": { "iterationsPerMessage": 2 } }')
    const args = ["--model", fakeModel, "--project", "../limited", "How late is it?"]
    const { code, stderr, stdout } = yield* asking([counting, counting, "never"], args)
    const reason =
      "Stopped after 2 iterations, the limit for one message. Ask for less at once, or raise limits.iterationsPerMessage."
    assert.deepStrictEqual([code, stdout], [6, `*${reason}*\n`])
    assert.include(stderr, `error: ${reason}\nlimit: 2 model calls, 1 tool call, `)
  })

  liveTest("stops the request and the conversation at Ctrl-C", function* () {
    const server = yield* FakeOllama.make(() => ({ text: "never", hold: "never" }))
    const binary = sandbox.start(["ask", "--model", fakeModel, "--json", "hi"], { env: { OLLAMA_HOST: server.url } })
    yield* server.until(({ chats }) => chats.length === 1)
    binary.child.kill("SIGINT")
    const { code, stdout } = yield* Effect.promise(() => binary.ended)
    yield* server.until(({ abortedCount }) => abortedCount() === 1)
    assert.strictEqual(code, 130)
    assert.deepStrictEqual(
      jsonLines(stdout)
        .slice(-3)
        .map(({ type }) => type),
      ["message", "ask.finished", "run.finished"]
    )
  })
})

/** A conversation with the model of a server at a real terminal. */
const openConversation = (url: string) =>
  conductAt(sandbox, `ask --model ${fakeModel}`, { env: { OLLAMA_HOST: url }, columns: 120 })

const readServer = () => readFileSync(join(sandbox.root, "project/src/server.ts"), "utf8")

describe("ask at a real terminal", needsTerminal, () => {
  liveTest("shows the answer as it comes, stops it at Ctrl-C, and goes on", function* () {
    const server = yield* FakeOllama.make((_body, index) =>
      index === 0
        ? { text: "I begin with \u001b[31m and never end", holdAfter: { lines: 4, latch: "never" } }
        : {
            toolCalls: index === 1 ? [{ name: "get_current_time", arguments: {} }] : [],
            text: index === 1 ? "" : "Done."
          }
    )
    const { sees, type, until } = yield* openConversation(server.url)
    yield* until(/commands\.\n>$/)
    type("Tell me\r")
    yield* sees("I begin with \\u{1b}[31m")
    type("\u0003")
    yield* sees("stopped: 1 model call, 0 tool calls")
    yield* server.until(({ abortedCount }) => abortedCount() === 1)
    yield* until(/0 tool calls, [\d.]+ s\n>$/)
    type("How late is it?\r")
    yield* sees("Done.")
    yield* sees("done: 2 model calls, 1 tool call")
    assert.deepStrictEqual(
      server.chats[1]?.messages.slice(1).map(({ content, role }) => [role, content]),
      [
        ["user", "Tell me"],
        ["assistant", "I begin with \u001b[31m\n\n(The user stopped this answer.)"],
        ["user", "How late is it?"]
      ]
    )
    // Keys that come before the prompt do not count.
    yield* until(/1 tool call, [\d.]+ s\n>$/)
    type("\u0004")
    yield* sees("ended with 0")
  })

  liveTest("shows with /diff what the conversation changed, and takes it back with /undo", function* () {
    const before = "/** The port of the server. */\nexport const serverPort = 8042\n"
    const change =
      "src/server.ts\n<<<<<<< OLD\nexport const serverPort = 8042\n=======\nexport const serverPort = 8043\n>>>>>>> NEW\n"
    const server = yield* FakeOllama.make((_body, index) => ({ text: index === 0 ? change : "It is 8043 now." }))
    const { sees, type, until } = yield* openConversation(server.url)
    yield* until(/commands\.\n>$/)
    type("Use 8043\r")
    yield* until(/\nAllow\?$/)
    type("y")
    yield* until(/[\d.]+ s\n[^>]*>$/)
    assert.include(readServer(), "8043")
    type("/diff\r")
    yield* sees("+export const serverPort = 8043\n> ")
    type("/undo\r")
    yield* sees("Undone: src/server.ts\n> ")
    assert.strictEqual(readServer(), before)
    type("/diff\r")
    yield* sees("This conversation changed no file.\n> ")
  })
})
