import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { processSandbox } from "../../support/fileSandbox.ts"
import { demoLine } from "../../support/binary.ts"
import { conductAt } from "../../support/ConductorTerminal.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import { onServer } from "../../support/onServer.ts"
import { fakeModel } from "../../support/FakeOllamaPaths.ts"
import type { Reply } from "../../support/FakeOllamaReply.ts"
import { inOrder } from "../../support/FakeOllamaScript.ts"
import { needsTerminal } from "../../support/PseudoTerminal.ts"
import { liveTest } from "../../support/liveTest.ts"

const sandbox = processSandbox()
const question = "Where is the port of the server defined?"
const embedded = ["ask", "--model", "embedded", "--allow", "read_file"]

sandbox.write("project/README.md", "# Weather\n\nA small weather service.\n")
sandbox.write("project/src/server.ts", "/** The port of the server. */\nexport const serverPort = 8042\n")

describe("ask", () => {
  it("answers on stdout and shows each call with its outcome on stderr", async () => {
    const { code, stderr, stdout } = await sandbox.run([...embedded, question])
    assert.strictEqual(code, 0, stderr)
    assert.match(
      stdout,
      /^Found \d+ lines in 1 file:\n\n- \[src\/server\.ts\]\(src\/server\.ts#L2\) `export const serverPort = 8042`\n/
    )
    const calls = stderr
      .split("\n")
      .flatMap((line) => (/^ {2}(?:call|ok)/.test(line) ? [line.replace(/\d+ ms/, "N ms")] : []))
    assert.deepStrictEqual(calls.toSorted(), [
      '  call search_files "port"',
      '  call search_files "server"',
      '  ok search_files "port" N ms: 2 matches in 1 file, letter case ignored. (4 lines)',
      '  ok search_files "server" N ms: 2 matches in 1 file, letter case ignored. (4 lines)'
    ])
    assert.match(stderr, /^Using the built-in demo.*\nask \d{8}-\d{6}-\w{4} with embedded in <root>\/project\n/)
    assert.match(stderr, /\ndone: 2 model calls, 2 tool calls, \d+\.\d s\n$/)
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
  onServer(sandbox, ["ask", ...args], { script: inOrder(...replies) })

const counting: Reply = { toolCalls: [{ name: "get_current_time", arguments: {} }] }

describe("ask with a server", () => {
  liveTest("ends with 6 at the limit, with an answer that says so", function* () {
    sandbox.write("limited/task-conductor.json", '{ "limits": { "iterationsPerMessage": 2 } }')
    const args = ["--model", fakeModel, "--project", "../limited", "How late is it?"]
    const { code, stderr, stdout } = yield* asking([counting, counting, "never"], args)
    const reason =
      "Stopped after 2 iterations, the limit for one message. Ask for less at once, or raise limits.iterationsPerMessage."
    assert.deepStrictEqual([code, stdout], [6, `*${reason}*\n`])
    assert.include(stderr, `error: ${reason}\nlimit: 2 model calls, 1 tool call, `)
  })
})

/** A conversation with the model of a server at a real terminal. */
const openConversation = (url: string) =>
  conductAt(sandbox, `ask --model ${fakeModel}`, { env: { OLLAMA_HOST: url }, columns: 120 })

const readServer = () => readFileSync(join(sandbox.root, "project/src/server.ts"), "utf8")

describe("ask at a real terminal", needsTerminal, () => {
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
