import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { demoLine, makeSandbox, program } from "../../support/binary.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import { fakeModel } from "../../support/FakeOllamaPaths.ts"
import type { Reply } from "../../support/FakeOllamaReply.ts"
import { inOrder } from "../../support/FakeOllamaScript.ts"
import { needsTerminal, openTerminal } from "../../support/PseudoTerminal.ts"
import { waitFor } from "../../support/waitFor.ts"

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

/** The id of a call of the first message. */
const call = (iteration: number, position: number) => ({
  round: 1,
  task: "ask",
  uid: `turn-${iteration}/call-${position}`
})
const started = (iteration: number, index: number) => `tool.started ${JSON.stringify(call(iteration, index))}`
const finished = (iteration: number, index: number) => `tool.finished ${JSON.stringify(call(iteration, index))}`

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
    const reported = lines.map(({ id, type }) => (id === undefined ? type : `${String(type)} ${JSON.stringify(id)}`))
    /* Two calls side by side: either may be first, each begins before it ends. */
    const beside = reported.splice(4, 4)
    assert.deepStrictEqual(beside.toSorted(), [finished(1, 1), finished(1, 2), started(1, 1), started(1, 2)])
    for (const index of [1, 2]) assert.isBelow(beside.indexOf(started(1, index)), beside.indexOf(finished(1, index)))
    assert.deepStrictEqual(reported, [
      "run.started",
      "ask.started",
      "model.started",
      "model.finished",
      "model.started",
      "model.finished",
      "ask.finished",
      "run.finished"
    ])
    const last = lines.at(-1) as { exit_code: number; report: { status: string; answer: string } }
    assert.deepStrictEqual([last.exit_code, last.report.status], [0, "done"])
    assert.deepInclude(lines[1], { message: 1, text: question })
  })

  it("takes the message from stdin, and the file in view with it", async () => {
    const files = ["--file", "README.md", "--open", "src/server.ts", "--open", "README.md"]
    const { code, stderr, stdout } = await sandbox.run([...embedded, ...files], { stdin: `${question}\n` })
    assert.strictEqual(code, 0, stderr)
    assert.include(stdout, "src/server.ts#L2")
  })

  it("answers without a read that was denied, and says how to allow it", async () => {
    const words = [
      "ask",
      "--model",
      "embedded",
      "--allow",
      "read_file:README.md",
      "What do README.md and src/server.ts say?"
    ]
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

  it("ends with 2 without a message, and for a file that is not there", async () => {
    const empty = await sandbox.run([...embedded], { stdin: " \n" })
    assert.deepStrictEqual(
      [empty.code, empty.stderr.split("\n")[0]],
      [2, "The prompt is empty. Say what should be done."]
    )
    const missing = await sandbox.run([...embedded, "--file", "missing.ts", question])
    assert.deepStrictEqual([missing.code, missing.stdout], [2, ""])
    assert.include(missing.stderr, "Cannot use the current file:")
  })

  it("ends with 5 when no server answers, also in the stream", async () => {
    const { code, stdout } = await sandbox.run(["ask", "--model", "qwen3", "--json", "hi"])
    const lines = jsonLines(stdout)
    const last = lines.at(-1) as { exit_code: number; report: { status: string; message: string } }
    assert.deepStrictEqual(
      [code, lines.map(({ type }) => type), last.exit_code, last.report.status],
      [5, ["run.started", "message", "run.finished"], 5, "unavailable"]
    )
    assert.include(last.report.message, "No model server answers at http://127.0.0.1:1 ")
  })
})

/** Asks a server with these replies through the binary. */
const asking = (replies: readonly [Reply | string, ...ReadonlyArray<Reply | string>], args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const server = yield* FakeOllama.make(inOrder(...replies), {
      models: [{ name: fakeModel }, { name: "old", capabilities: ["completion"] }]
    })
    return yield* Effect.promise(() => sandbox.run(["ask", ...args], { env: { OLLAMA_HOST: server.url } }))
  }).pipe(Effect.scoped)

const counting: Reply = { toolCalls: [{ name: "get_current_time", arguments: {} }] }

describe("ask with a server", () => {
  it.live("ends with 2 for a model that cannot call tools, before anything starts", () =>
    Effect.gen(function* () {
      const args = ["--model", "old", "--tool-calls", "native", "--json", "hi"]
      const { code, stderr, stdout } = yield* asking(["never"], args)
      assert.deepStrictEqual([code, stdout], [2, ""])
      assert.include(
        stderr,
        'The model "old" cannot call tools, which toolCalls "native" needs. Installed models that can: qwen3:8b.'
      )
    })
  )

  it.live("answers with a model that cannot call tools: calls are text", () =>
    Effect.gen(function* () {
      const call =
        '## Tool Calls\n\n```json\n{ "uid": "a", "name": "search_files", "arguments": { "pattern": "8042" } }\n```'
      const answer = "It is [8042](src/server.ts#L2)."
      const { code, stderr, stdout } = yield* asking([call, answer], ["--model", "old", "Which port?"])
      assert.deepStrictEqual([code, stdout], [0, `${answer}\n`], stderr)
      assert.include(stderr, 'ok search_files "8042"')
    })
  )

  it.live("ends with 6 at the limit, with an answer that says so", () =>
    Effect.gen(function* () {
      sandbox.write("limited/task-conductor.json", '{ "limits": { "iterationsPerMessage": 2 } }')
      const args = ["--model", fakeModel, "--project", "../limited", "How late is it?"]
      const { code, stderr, stdout } = yield* asking([counting, counting, "never"], args)
      const reason =
        "Stopped after 2 iterations, the limit for one message. Ask for less at once, or raise limits.iterationsPerMessage."
      assert.deepStrictEqual([code, stdout], [6, `*${reason}*\n`])
      assert.include(stderr, `error: ${reason}\nlimit: 2 model calls, 1 tool call, `)
    })
  )

  it.live("stops the request and the conversation at Ctrl-C", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.scoped)
  )
})

/** A conversation with the model of a server at a real terminal. */
const openConversation = (url: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() =>
        openTerminal(
          `trap : INT; ${process.execPath} ${program} ask --model ${fakeModel}; echo "ended with $?"; read line`,
          {
            columns: 120,
            rows: 40,
            isDrawn: true,
            cwd: `${sandbox.root}/project`,
            env: {
              ...process.env,
              HOME: `${sandbox.root}/home`,
              XDG_CONFIG_HOME: `${sandbox.root}/config`,
              OLLAMA_HOST: url
            }
          }
        )
      ),
      ({ close }) => Effect.sync(close)
    ),
    (terminal) => ({ terminal, sees: (text: string) => Effect.promise(() => terminal.shows(text)) })
  )

const readServer = () => readFileSync(join(sandbox.root, "project/src/server.ts"), "utf8")

describe("ask at a real terminal", needsTerminal, () => {
  it.live("shows the answer as it comes, stops it at Ctrl-C, and goes on", () =>
    Effect.gen(function* () {
      const server = yield* FakeOllama.make((_body, index) =>
        index === 0
          ? { text: "I begin with \u001b[31m and never end", holdAfter: { lines: 4, latch: "never" } }
          : {
              toolCalls: index === 1 ? [{ name: "get_current_time", arguments: {} }] : [],
              text: index === 1 ? "" : "Done."
            }
      )
      const { sees, terminal } = yield* openConversation(server.url)
      yield* waitFor("the prompt", () => /commands\.\n> /.test(terminal.screen()))
      terminal.type("Tell me\r")
      yield* sees("I begin with \\u{1b}[31m")
      terminal.type("\u0003")
      yield* sees("stopped: 1 model call, 0 tool calls")
      yield* server.until(({ abortedCount }) => abortedCount() === 1)
      yield* waitFor("the prompt after what was stopped", () => /0 tool calls, [\d.]+ s\n> /.test(terminal.screen()))
      terminal.type("How late is it?\r")
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
      yield* waitFor("the prompt after the answer", () => /1 tool call, [\d.]+ s\n> /.test(terminal.screen()))
      terminal.type("\u0004")
      yield* sees("ended with 0")
    }).pipe(Effect.scoped)
  )

  it.live("shows with /diff what the conversation changed, and takes it back with /undo", () =>
    Effect.gen(function* () {
      const before = "/** The port of the server. */\nexport const serverPort = 8042\n"
      const change =
        "src/server.ts\n<<<<<<< OLD\nexport const serverPort = 8042\n=======\nexport const serverPort = 8043\n>>>>>>> NEW\n"
      const server = yield* FakeOllama.make((_body, index) => ({ text: index === 0 ? change : "It is 8043 now." }))
      const { sees, terminal } = yield* openConversation(server.url)
      yield* waitFor("the prompt", () => /commands\.\n> /.test(terminal.screen()))
      terminal.type("Use 8043\r")
      yield* waitFor("the question", () => /\nAllow\? /.test(terminal.screen()))
      terminal.type("y")
      yield* waitFor("the prompt after the answer", () => /[\d.]+ s\n[^>]*> /.test(terminal.screen()))
      assert.include(readServer(), "8043")
      terminal.type("/diff\r")
      yield* sees("+export const serverPort = 8043\n> ")
      terminal.type("/undo\r")
      yield* sees("Undone: src/server.ts\n> ")
      assert.strictEqual(readServer(), before)
      terminal.type("/diff\r")
      yield* sees("This conversation changed no file.\n> ")
    }).pipe(Effect.scoped)
  )

  it.live("completes a command, and sends a pasted text as one message after Enter", () =>
    Effect.gen(function* () {
      const server = yield* FakeOllama.make((_body, index) => ({ text: `Answer ${index + 1}.` }))
      const { sees, terminal } = yield* openConversation(server.url)
      yield* waitFor("the prompt", () => /commands\.\n> /.test(terminal.screen()))
      terminal.type("/ta\t")
      yield* sees("> /tasks ")
      terminal.type("\r")
      yield* sees("The list is empty.\n> ")
      terminal.type("See:\u001b[200~\rone\r\ttwo\r\u001b[201~")
      yield* sees("|       two\n| ")
      assert.strictEqual(server.chats.length, 0)
      terminal.type("three\r")
      yield* sees("Answer 1.")
      yield* waitFor("the prompt", () => /tool calls, [\d.]+ s\n> /.test(terminal.screen()))
      terminal.type("\u001b[A, again\r")
      yield* sees("Answer 2.")
      assert.deepStrictEqual(
        server.chats[1]?.messages.filter(({ role }) => role === "user").map(({ content }) => content),
        ["See:\none\n\ttwo\nthree", "See:\none\n\ttwo\nthree, again"]
      )
    }).pipe(Effect.scoped)
  )
})
