import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { spawn } from "node:child_process"
import { join } from "node:path"
import { z } from "zod"
import type { RunFacts } from "../../../src/domain/checks/Facts.ts"
import { connect } from "../../../src/plugins/mcp/McpConnection.ts"
import { RunStore } from "../../../src/services/history/RunStore.ts"
import { scopedSandbox, program } from "../../support/binary.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import { ollamaTask } from "../../support/ExampleProject.ts"
import { fakeModel } from "../../support/FakeOllamaPaths.ts"
import { png } from "../../support/pictures.ts"
import { stageNameOf } from "../../support/stageName.ts"
import { planOf, refinementWith, resultSaying } from "../../support/TestRun.ts"
import { waitFor } from "../../support/waitFor.ts"

const environment = (root: string, host: string) => ({
  PATH: process.env["PATH"] ?? "",
  TASK_CONDUCTOR_MODEL: "embedded",
  HOME: join(root, "home"),
  XDG_CONFIG_HOME: join(root, "config"),
  OLLAMA_HOST: host
})

/** Our own client, speaking to our own server in a project with one file. */
const serve = Effect.fnUntraced(function* (args: ReadonlyArray<string> = [], host = "127.0.0.1:1") {
  const { root, write } = yield* scopedSandbox()
  write("project/notes.md", "The word is heron.\n")
  const started = { command: process.execPath, args: [program, "mcp", ...args], cwd: join(root, "project") }
  const address = { _tag: "Program", ...started, env: environment(root, host) } as const
  const connection = yield* connect(address, "60 seconds", "0")
  const call = (name: string, given: Readonly<Record<string, string | ReadonlyArray<string>>>) =>
    Effect.map(connection.call(name, given), ({ isError, structured, text: said }) => {
      const text = said.replaceAll(root, "<root>")
      return { text, isError, data: structured as Readonly<Record<string, unknown>> }
    })
  return { connection, call }
})

const layer = Layer.merge(NodeServices.layer, FetchHttpClient.layer)
type Body = () => Generator<Effect.Effect<unknown, unknown, Layer.Success<typeof layer> | Scope.Scope>, unknown, never>
const liveTest = (name: string, body: Body): void => it.live(name, () => Effect.provide(Effect.gen(body), layer))

const initialize = {
  method: "initialize",
  id: 1,
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "test", version: "0" } }
}
const initialized = { method: "notifications/initialized" }
const callOf = (id: number, name: string, given: object, meta?: object) => ({
  method: "tools/call",
  id,
  params: { name, arguments: given, ...(meta === undefined ? {} : { _meta: meta }) }
})

/** The messages as a client sends them, a line each. */
const linesOf = (...messages: ReadonlyArray<object>): string =>
  messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("")

/** Everything that came, a line each; throws for a line that is no message of the protocol. */
const messagesIn = (stdout: string) =>
  stdout
    .trimEnd()
    .split("\n")
    .map((line) => {
      const message = JSON.parse(line) as {
        readonly jsonrpc: string
        readonly id?: number | null
        readonly method?: string
        readonly error?: { readonly code: number }
        readonly result?: Readonly<Record<string, unknown>>
        readonly params?: Readonly<Record<string, unknown>>
      }
      assert.strictEqual(message.jsonrpc, "2.0")
      return message
    })

/** The binary with its stdin held open, as a client holds it. */
const open = Effect.fnUntraced(function* (
  args: ReadonlyArray<string>,
  host = "127.0.0.1:1",
  files: Readonly<Record<string, string>> = {}
) {
  const { root, write } = yield* scopedSandbox()
  for (const [path, text] of Object.entries(files)) write(path, text)
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [program, "mcp", ...args], { cwd: join(root, "project"), env: environment(root, host) })
    ),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  )
  let stdout = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
  let stderr = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text))
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
  return {
    send: (...messages: ReadonlyArray<object>) => void child.stdin.write(linesOf(...messages)),
    write: (text: string) => void child.stdin.write(text),
    /** Waits until this many lines have come. */
    lines: (count: number) =>
      waitFor(
        `line ${count}`,
        () => stdout.split("\n").length > count || child.exitCode !== null,
        () => stdout
      ),
    /** Waits until no run of it goes on. */
    idle: Effect.gen(function* () {
      const store = yield* RunStore
      while ((yield* store.list).some(({ standing }) => standing === "running")) yield* Effect.sleep("20 millis")
    }).pipe(Effect.provide(RunStore.layer(join(root, "home/.local/state/task-conductor")))),
    stderr: () => stderr,
    close: () => void child.stdin.end(),
    kill: (signal: NodeJS.Signals) => void child.kill(signal),
    stdout: () => stdout,
    ended: Effect.promise(() => ended)
  }
})

describe("the tools for other programs", () => {
  liveTest("check a document and make a plan", function* () {
    const { call } = yield* serve()
    const checked = yield* call("check", { text: "## Result summary\n\nFound it.", kind: "result" })
    assert.deepStrictEqual(JSON.parse(checked.text), checked.data)
    const planned = yield* call("plan", { prompt: "Where is `heron`?" })
    for (const { data, isError } of [checked, planned])
      assert.deepStrictEqual([isError, data["verdict"], data["issues"]], [false, "accepted", []])
    assert.strictEqual(planned.text, planned.data["markdown"])
    assert.match(planned.text, /^## Original prompt\n\nWhere is `heron`\?/)
  })

  liveTest("say what they return and what they do", function* () {
    const { lines, send, stdout } = yield* open([])
    send(initialize, initialized, { method: "tools/list", id: 2 })
    yield* lines(2)
    const [listed] = messagesIn(stdout()).flatMap(({ id, result }) => (id === 2 ? [result?.["tools"]] : []))
    const tools = listed as ReadonlyArray<{
      readonly name: string
      readonly annotations: Readonly<Record<string, boolean>>
      readonly outputSchema: { readonly type: string; readonly properties: object; readonly required?: unknown }
    }>
    const yes = ({ annotations }: (typeof tools)[number]) =>
      Object.keys(annotations).filter((hint) => annotations[hint] === true)
    assert.deepStrictEqual(
      tools.map((tool) => [tool.name, ...yes(tool)]),
      [
        ["check", "readOnlyHint", "idempotentHint"],
        ["plan", "readOnlyHint", "openWorldHint"],
        ["run", "destructiveHint", "openWorldHint"],
        ["ask", "destructiveHint", "openWorldHint"],
        ["diff", "readOnlyHint", "idempotentHint"],
        ["undo", "destructiveHint", "idempotentHint"]
      ]
    )
    for (const { name, outputSchema } of tools) {
      assert.deepStrictEqual([name, outputSchema.type, outputSchema.required], [name, "object", undefined])
      assert.notStrictEqual(Object.keys(outputSchema.properties).length, 0)
    }
    const calls: ReadonlyArray<readonly [name: string, given: object]> = [
      ["check", { text: "## Result summary\n\nIt is 8042.\n", kind: "result" }],
      ["check", { text: "## Tasks" }],
      ["plan", { prompt: "Where is `heron`?" }],
      ["run", { prompt: "Where is `heron`?" }],
      ["ask", { message: "Where is `heron`?" }],
      ["diff", { run_id: "last" }],
      ["undo", { run_id: "20200101-000000-none" }]
    ]
    for (const [index, [name, given]] of calls.entries()) {
      send(callOf(index + 3, name, given))
      yield* lines(index + 3)
      const answer = messagesIn(stdout()).find(({ id }) => id === index + 3)
      const schema = tools.find((tool) => tool.name === name)?.outputSchema
      const { error } = z.fromJSONSchema(schema as never).safeParse(answer?.result?.["structuredContent"])
      assert.isUndefined(error, `${name}: ${error?.message}`)
    }
  })

  liveTest("take a model of its own for a stage", function* () {
    const models = [{ name: fakeModel }, { name: "planner:1b" }]
    const server = yield* FakeOllama.make(() => planOf([]), { models })
    const { call } = yield* serve(["--model", fakeModel, "--stage-model", "plan=planner:1b"], server.url)
    yield* call("plan", { prompt: "Which word?" })
    assert.strictEqual(server.chats[0]?.model, "planner:1b")
  })

  liveTest("show the images that tools gave in a run", function* () {
    const server = yield* FakeOllama.make(ollamaTask("use-shots", { name: "shoot", arguments: {} }))
    const plugin = `import { definePlugin, tool, ToolOutput } from "task-conductor/plugin"
        export default definePlugin({ name: "shots", tools: { shoot: tool({
          description: "Shoots.", parameters: { type: "object", properties: {} }, risk: "safe", effect: "pure",
          execute: async () => new ToolOutput({ text: "A page.", images: [
            { mediaType: "image/png", data: ${JSON.stringify(png.toString("base64"))} }
          ] })
        }) } })`
    const { send, stdout, lines } = yield* open(["--model", fakeModel, "--plugin", "./shots.mjs"], server.url, {
      "project/shots.mjs": plugin
    })
    send(initialize)
    yield* lines(1)
    send(initialized, callOf(2, "run", { prompt: "How does it look?" }))
    yield* lines(2)
    const [content] = messagesIn(stdout()).flatMap(({ id, result }) => (id === 2 ? [result?.["content"]] : []))
    assert.deepInclude((content as ReadonlyArray<object>)[1], {
      type: "image",
      mimeType: "image/png",
      data: png.toString("base64")
    })
  })

  liveTest("deny what nobody allowed when the server started, and name it; do what a flag allowed", function* () {
    const given = { prompt: "Say what `notes.md` says.", skill: "read-code", file: "notes.md" }
    const { data, isError, text } = yield* (yield* serve()).call("run", given)
    assert.deepStrictEqual([isError, data["status"], data["exit_code"]], [true, "not_permitted", 4])
    const [denied = ""] = data["denied"] as ReadonlyArray<string>
    assert.match(denied, /^read_file notes\.md \(nobody could be asked; --allow/)
    assert.match(text, /^Not done \(not permitted\): /)
    const allowed = yield* (yield* serve(["--allow", "read_file:notes.md"])).call("run", given)
    assert.deepStrictEqual([allowed.data["status"], allowed.data["denied"]], ["done", []])
  })

  liveTest("name what changed, and that nothing checked it", function* () {
    const answers: Readonly<Record<string, string>> = {
      creation: planOf([[{ name: "Edit 1", skill: "edit-files" }]]),
      refinement: refinementWith([
        { name: "read_file", arguments: { path: ".env" } },
        { name: "edit_file", arguments: { path: "notes.md", old_text: "heron", new_text: "crane" } }
      ]),
      execution: resultSaying("Changed, and all checks pass.")
    }
    const server = yield* FakeOllama.make(({ messages }) => answers[stageNameOf(messages)] ?? planOf([]))
    const { call } = yield* serve(["--model", fakeModel, "--yes-this-run", "--deny", "read_file:.env"], server.url)
    const { data, isError, text } = yield* call("run", { prompt: "Change notes.md." })
    assert.strictEqual(isError, false, text)
    assert.deepStrictEqual(data["facts"], {
      files: [{ path: "notes.md", kind: "changed", insertions: 1, deletions: 1 }],
      checks: [],
      state: "not checked",
      denied: [{ tool: "read_file", targets: [".env"], by: "rule" }]
    })
    assert.include(
      text,
      "- not checked: no check is known for these changes\n- denied: read_file .env (by a rule)\n\nChanged"
    )

    /* Without an approval beforehand, the step is refused, and counted as denied. */
    const strict = yield* serve(["--model", fakeModel], server.url)
    const refused = yield* strict.call("run", { prompt: "Change notes.md." })
    assert.strictEqual(refused.data["status"], "not_permitted")
    assert.match((refused.data["denied"] as ReadonlyArray<string>).join("\n"), /"Edit 1" \(/)
    assert.match(refused.text, /^Not done \(not permitted\): .*not approved.* No file was changed\.\n/)
  })

  liveTest("answer a failure of the work as an error of the call, with its exit code", function* () {
    const { call } = yield* serve(["--model", "qwen3:8b"])
    const { data, isError } = yield* call("run", { prompt: "Hello." })
    assert.deepStrictEqual([isError, data["exit_code"]], [true, 5])
    const wrong = yield* call("run", { prompt: "Hello.", skill: "no-such-skill" })
    assert.deepStrictEqual([wrong.isError, wrong.data], [true, { exit_code: 2 }])
    const missing = yield* call("plan", { prompt: "Hello.", open: ["notes.md", "missing.ts"] })
    assert.deepStrictEqual([missing.isError, missing.data], [true, { exit_code: 2 }])
    assert.match(missing.text, /^Cannot use the open file: There is no file at .*missing\.ts\.$/)
  })
})

describe("approvals in a client that shows forms", () => {
  interface Form {
    readonly message: string
    readonly requestedSchema: { readonly properties: { readonly answer: { readonly enum: ReadonlyArray<string> } } }
  }

  /** Asks for a change, and sends the answer of the client to its form; gives the form and the result. */
  const replied = Effect.fnUntraced(function* (reply: object, capabilities: object = { elicitation: { form: {} } }) {
    const edit = "```\n<<<<<<< SEARCH\nThe word is heron.\n=======\nThe word is crane.\n>>>>>>> REPLACE\n```"
    const server = yield* FakeOllama.make(({ messages }) =>
      messages.some(({ content }) => content.includes("Changed: ")) ? "The word is crane now." : `notes.md\n${edit}`
    )
    const { lines, send, stdout } = yield* open(["--model", fakeModel], server.url, {
      "project/notes.md": "The word is heron.\n"
    })
    send({ ...initialize, params: { ...initialize.params, capabilities } })
    yield* lines(1)
    send(initialized, callOf(2, "ask", { message: "Change the word to crane." }))
    yield* lines(2)
    const asked = messagesIn(stdout()).find(({ method }) => method === "elicitation/create")
    if (asked !== undefined) {
      send({ id: asked.id, ...reply })
      yield* lines(3)
    }
    const [ended] = messagesIn(stdout()).flatMap(({ id, result }) => (id === 2 && result !== undefined ? [result] : []))
    const data = ended?.["structuredContent"] as { readonly status: string; readonly facts?: RunFacts } | undefined
    return { form: asked?.params as Form | undefined, data }
  })
  const answered = (result: object, capabilities?: object) => replied({ result }, capabilities)

  liveTest("are asked about there, with what would change", function* () {
    const { data, form } = yield* answered({ action: "accept", content: { answer: "allow" } })
    assert.include(form?.message, "-The word is heron.\n+The word is crane.")
    assert.deepStrictEqual(form?.requestedSchema.properties.answer.enum, ["allow", "allow and remember", "no"])
    assert.include(form?.message, '"allow and remember" saves for this project: edit_file')
    assert.deepStrictEqual([data?.status, data?.facts?.files.map(({ path }) => path)], ["done", ["notes.md"]])
  })

  liveTest("change nothing after a no, a closed form, or an answer that was not offered", function* () {
    for (const result of [
      { action: "accept", content: { answer: "no" } },
      { action: "accept", content: { answer: "always" } },
      { action: "decline" },
      { action: "cancel" }
    ]) {
      const { data, form } = yield* answered(result)
      assert.isDefined(form)
      assert.deepStrictEqual([data?.status, data?.facts?.files ?? []], ["declined", []], JSON.stringify(result))
    }
  })

  liveTest("are denied by nobody in a client that cannot show the form, shows none, or only pages", function* () {
    const { data, form } = yield* replied({ error: { code: -32_603, message: "no window" } })
    assert.isDefined(form)
    assert.deepStrictEqual([data?.status, data?.facts?.files ?? []], ["not_permitted", []])
    for (const capabilities of [{}, { elicitation: { url: {} } }]) {
      const unasked = yield* answered({}, capabilities)
      assert.deepStrictEqual([unasked.form, unasked.data?.status], [undefined, "not_permitted"])
    }
  })
})

describe("task-conductor mcp", () => {
  liveTest("puts nothing but messages on stdout, whatever else writes there", function* () {
    const loud = 'console.log("hello from a plugin")\nprocess.stdout.write("and more\\n")\nexport default 1\n'
    const server = yield* open([], undefined, {
      "config/task-conductor/config.json": JSON.stringify({ plugins: ["./loud.ts"] }),
      "config/task-conductor/loud.ts": loud
    })
    server.send(initialize, initialized, callOf(2, "plan", { prompt: "Where is `heron`?" }, { progressToken: "p" }))
    yield* server.lines(4)
    server.close()
    const code = yield* server.ended
    const messages = messagesIn(server.stdout())
    assert.deepStrictEqual([code, messages.map(({ id }) => id)], [0, [1, undefined, undefined, 2]])
    assert.deepStrictEqual(
      messages.filter(({ method }) => method === "notifications/progress").map(({ params }) => params),
      [
        { progressToken: "p", progress: 1, message: "planning ..." },
        { progressToken: "p", progress: 2, message: "plan 1 task in 1 step: Search 1" }
      ]
    )
    assert.include(server.stderr(), "hello from a plugin\nand more\n")
  })

  liveTest("answers a line that is not JSON, wrong arguments and an unknown tool, and goes on", function* () {
    const server = yield* open([])
    server.send(initialize, initialized)
    server.write("not JSON\n")
    server.send(callOf(2, "check", { txt: "" }), callOf(3, "write_file", {}), callOf(4, "check", { text: "" }))
    yield* server.lines(5)
    server.close()
    assert.strictEqual(yield* server.ended, 0)
    const byId = new Map(messagesIn(server.stdout()).map((message) => [message.id, message]))
    assert.strictEqual(byId.get(null)?.error?.code, -32_700)
    assert.deepStrictEqual(byId.get(2)?.result, {
      content: [
        {
          type: "text",
          text: "The arguments do not fit: txt is unknown here. Remove it, or correct its name. text is missing. Add it."
        }
      ],
      isError: true
    })
    assert.strictEqual(byId.get(3)?.error?.code, -32_602)
    assert.strictEqual(byId.get(4)?.result?.["isError"], false)
  })

  /** A server that waits for a model that never answers. */
  const working = Effect.gen(function* () {
    const model = yield* FakeOllama.make(() => ({ text: "never", hold: "never" }))
    const server = yield* open(["--model", fakeModel], model.url)
    server.send(initialize, initialized, callOf(2, "run", { prompt: "Hello." }))
    yield* model.until(({ chats }) => chats.length === 1)
    return { server, aborted: model.until(({ abortedCount }) => abortedCount() === 1) }
  })

  liveTest("interrupts the run of a request that the client cancels, and goes on", function* () {
    const { aborted, server } = yield* working
    server.send({ method: "notifications/cancelled", params: { requestId: 2 } })
    yield* aborted
    server.send(callOf(3, "check", { text: "" }))
    yield* server.lines(2)
    yield* server.idle
    /* A client that listens gets no answer to what it cancelled; once it is gone, nothing is held back any more. */
    server.send(callOf(4, "check", { text: "" }))
    yield* server.lines(3)
    assert.deepStrictEqual(
      messagesIn(server.stdout()).map(({ id }) => id),
      [1, 3, 4]
    )
    server.close()
    assert.strictEqual(yield* server.ended, 0)
  })

  liveTest(
    "ends while it works when the client closes stdin, and on SIGTERM with the code of the signal",
    function* () {
      const closed = yield* working
      closed.server.close()
      assert.strictEqual(yield* closed.server.ended, 0)
      yield* closed.aborted
      const { server } = yield* working
      server.kill("SIGTERM")
      assert.strictEqual(yield* server.ended, 143)
    }
  )

  liveTest("says on stderr what is wrong with the configuration, before it serves", function* () {
    const { run, write } = yield* scopedSandbox()
    write("config/task-conductor/config.json", '{ "modle": "x" }')
    const { code, stderr, stdout } = yield* Effect.promise(() => run(["mcp"], { stdin: linesOf(initialize) }))
    assert.deepStrictEqual([code, stdout], [2, ""])
    assert.match(stderr, /config\.json:1:3: unknown key "modle"\. Nearest: model\./)
  })
})
