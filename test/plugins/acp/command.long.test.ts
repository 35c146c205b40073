import { client, methods, ndJsonStream, type SessionNotification, type SessionUpdate } from "@agentclientprotocol/sdk"
import type {
  ClientContext,
  PermissionOption,
  RequestPermissionRequest,
  SessionConfigOption
} from "@agentclientprotocol/sdk"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Readable, Writable } from "node:stream"
import { environmentOf, scopedSandbox, program } from "../../support/binary.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import { fakeModel } from "../../support/FakeOllamaPaths.ts"
import type { Script } from "../../support/FakeOllamaScript.ts"
import { inOrder } from "../../support/FakeOllamaScript.ts"
import { planOf, resultSaying, freeSkill } from "../../support/TestRun.ts"
import { stageNameOf } from "../../support/stageName.ts"
import { waitFor } from "../../support/waitFor.ts"
import { serve } from "../../support/WebServer.ts"
import { liveTest } from "../../support/liveTest.ts"

const sandboxed = scopedSandbox({
  "project/src/limits.js": "export const limits = {\n  requestTimeout: 10_000,\n  retries: 3\n}\n",
  "project/README.md": "# Weather\n\nThe port of the server is 8042.\n"
})

/** An editor with an agent of its own; what it is asked is answered by `choose`, with the id of an option. */
const openEditor = Effect.fnUntraced(function* (
  root: string,
  args: ReadonlyArray<string> = [],
  env: Readonly<Record<string, string>> = {}
) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, [program, "acp", ...args], {
        cwd: root,
        env: environmentOf(root, env),
        stdio: ["pipe", "pipe", "pipe"]
      })
    ),
    (child) => Effect.sync(() => void child.kill("SIGKILL"))
  )
  let stderr = ""
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (stderr += text))
  const updates: Array<SessionUpdate> = []
  const asked: Array<RequestPermissionRequest> = []
  const editor = {
    child,
    updates,
    asked,
    stderr: () => stderr,
    choose: (_options: ReadonlyArray<PermissionOption>): string | undefined | Promise<string | undefined> => "deny",
    text: () =>
      updates
        .flatMap((update) =>
          update.sessionUpdate === "agent_message_chunk" && update.content.type === "text" ? [update.content.text] : []
        )
        .join(""),
    of: <Kind extends SessionUpdate["sessionUpdate"]>(kind: Kind) =>
      updates.filter(
        (update): update is Extract<SessionUpdate, { sessionUpdate: Kind }> => update.sessionUpdate === kind
      )
  }
  const connection = client({ name: "test" })
    .onNotification(methods.client.session.update, ({ params }: { readonly params: SessionNotification }) => {
      updates.push(params.update)
    })
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      asked.push(params)
      const optionId = await editor.choose(params.options)
      return { outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } }
    })
    .connect(
      ndJsonStream(
        Writable.toWeb(child.stdin) as WritableStream<Uint8Array>,
        Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>
      )
    )
  const { agent } = connection
  const initialized = yield* Effect.promise(() =>
    agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} })
  )
  return Object.assign(editor, { agent, initialized })
})

const request = <A>(work: () => Promise<A>) => Effect.promise(work)

const newSession = (agent: ClientContext, cwd: string) =>
  request(() => agent.request(methods.agent.session.new, { cwd, mcpServers: [] }))

const prompt = (agent: ClientContext, sessionId: string, text: string) =>
  request(() => agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text }] }))

const refusal = (work: () => Promise<unknown>) =>
  request(() =>
    work().then(
      () => undefined,
      (error: { readonly code: number; readonly message: string }) => ({ code: error.code, message: error.message })
    )
  )

const edit = "```\n<<<<<<< SEARCH\n  requestTimeout: 10_000,\n=======\n  requestTimeout: 30_000,\n>>>>>>> REPLACE\n```"
const change = `src/limits.js\n${edit}`

const serving = (script: Script) => FakeOllama.make(script, { models: [{ name: fakeModel }] })

/** An editor with a session in the project of a new sandbox; its model answers with the script, or is the embedded one. */
const openSession = Effect.fnUntraced(function* (args: ReadonlyArray<string> = [], script?: Script) {
  const { root, write } = yield* sandboxed
  const env: Record<string, string> = script === undefined ? {} : { OLLAMA_HOST: (yield* serving(script)).url }
  const editor = yield* openEditor(root, script === undefined ? args : ["--model", fakeModel, ...args], env)
  const { configOptions, sessionId } = yield* newSession(editor.agent, join(root, "project"))
  return Object.assign(editor, {
    root,
    write,
    configOptions,
    sessionId,
    say: (text: string) => prompt(editor.agent, sessionId, text),
    setMode: (modeId: string) =>
      request(() => editor.agent.request(methods.agent.session.setMode, { sessionId, modeId }))
  })
})

/** The states of the tasks in each plan, each state once. */
const statesOf = (plans: ReadonlyArray<Extract<SessionUpdate, { sessionUpdate: "plan" }>>) =>
  plans.map(({ entries }) => Array.from(new Set(entries.map(({ status }) => status))))

describe("acp on the embedded model", () => {
  liveTest("initializes, answers a message, keeps it, and goes on with it in another process", function* () {
    const { root } = yield* sandboxed
    const project = join(root, "project")
    const first = yield* openEditor(root, ["--allow", "read_file"])
    assert.strictEqual(first.initialized.protocolVersion, 1)
    assert.strictEqual(first.initialized.agentCapabilities?.loadSession, true)
    const { sessionId } = yield* newSession(first.agent, project)
    const { stopReason } = yield* prompt(first.agent, sessionId, "Where is the port of the server?")
    assert.strictEqual(stopReason, "end_turn")
    assert.include(first.text(), "The port of the server is 8042.")
    const [search] = first.of("tool_call")
    assert.strictEqual(search?.kind, "search")
    yield* prompt(first.agent, sessionId, "What does README.md say?")
    const ends = first.of("tool_call_update").filter(({ status }) => status === "completed")
    assert.isAbove(ends.length, 0)
    const read = first.of("tool_call").find(({ kind }) => kind === "read")
    assert.deepStrictEqual(
      read?.locations?.map(({ path }) => path),
      [join(project, "README.md")]
    )
    first.child.stdin.end()
    yield* request(() => new Promise((resolve) => first.child.once("close", resolve)))
    assert.strictEqual(first.child.exitCode, 0)
    assert.strictEqual(first.stderr(), "")

    const second = yield* openEditor(root, ["--allow", "read_file"])
    yield* request(() => second.agent.request(methods.agent.session.load, { sessionId, cwd: project, mcpServers: [] }))
    const [said] = second.of("user_message_chunk")
    assert.deepStrictEqual(said?.content, { type: "text", text: "Where is the port of the server?" })
    assert.include(second.text(), "The port of the server is 8042.")
    assert.strictEqual((yield* prompt(second.agent, sessionId, "And the weather?")).stopReason, "end_turn")
  })

  liveTest("shows the plan of a run with the state of its tasks, and its answer", function* () {
    const { of, root, say, setMode, text } = yield* openSession(["--allow", "read_file"])
    yield* setMode("run")
    assert.strictEqual((yield* say("Where is the port of the server?")).stopReason, "end_turn")
    const states = statesOf(of("plan"))
    assert.deepStrictEqual([states[0], states.at(-1)], [["pending"], ["completed"]])
    assert.include(text(), "8042")
    assert.isTrue(existsSync(join(root, "home/.local/state/task-conductor/runs")))
  })

  liveTest("answers what cannot be done with an error, and goes on", function* () {
    const { agent, root, say, sessionId } = yield* openSession()
    const project = join(root, "project")
    for (const unknown of ["20200101-000000-none", "../../../etc/passwd"]) {
      const params = { sessionId: unknown, prompt: [] }
      assert.strictEqual((yield* refusal(() => agent.request(methods.agent.session.prompt, params)))?.code, -32002)
      const load = { sessionId: unknown, cwd: project, mcpServers: [] }
      assert.strictEqual((yield* refusal(() => agent.request(methods.agent.session.load, load)))?.code, -32002)
    }
    for (const cwd of ["relative", join(root, "nowhere")]) {
      const refused = yield* refusal(() => agent.request(methods.agent.session.new, { cwd, mcpServers: [] }))
      const message = `${JSON.stringify(cwd)} is not the absolute path of a folder.`
      assert.deepStrictEqual(refused, { code: -32602, message })
    }
    const sse = { type: "sse" as const, name: "old", url: "http://127.0.0.1:1/sse", headers: [] }
    const taken = yield* refusal(() => agent.request(methods.agent.session.new, { cwd: project, mcpServers: [sse] }))
    assert.isUndefined(taken, 'the old transport "sse" is tried as streamable HTTP')
    const mode = yield* refusal(() => agent.request(methods.agent.session.setMode, { sessionId, modeId: "fly" }))
    assert.include(mode?.message, 'There is no mode "fly". Modes: ask, plan, run.')
    for (const [part, message] of [
      [{ type: "image", data: "AA==", mimeType: "image/png" }, "A prompt may contain text"],
      [{ type: "text", text: "  " }, "The prompt is empty."]
    ] as const) {
      const refused = yield* refusal(() => agent.request(methods.agent.session.prompt, { sessionId, prompt: [part] }))
      assert.include(refused?.message, message)
    }
    assert.strictEqual((yield* say("Where is the port?")).stopReason, "end_turn")
  })

  liveTest("answers lines that are no messages, and keeps stdout for the protocol", function* () {
    const { root } = yield* sandboxed
    const deep = `{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":${"[".repeat(50_000)}${"]".repeat(50_000)}}`
    const lines = [
      "this is no JSON",
      "[1]",
      '{"jsonrpc":"2.0","id":1,"method":"session/new","params":{}}',
      '{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":1}}',
      deep,
      '{"jsonrpc":"2.0","id":5,"method":"no/such","params":{}}'
    ]
    const child = spawn(process.execPath, [program, "acp"], { cwd: root, env: environmentOf(root), stdio: "pipe" })
    let [stdout, stderr] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (text: string) => void (stdout += text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => void (stderr += text))
    child.stdin.write(`${lines.join("\n")}\n`)
    yield* waitFor("an answer to every line", () => stdout.includes('"id":5'))
    child.stdin.end()
    const code = yield* request(() => new Promise((resolve) => child.once("close", resolve)))
    assert.strictEqual(code, 0)
    const answers = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly id: number | null; readonly error?: { readonly code: number } })
    const codes = answers.map(({ error, id }) => `${id}: ${error?.code ?? "done"}`)
    const expected = "1: -32600, 2: done, 3: -32602, 5: -32601, null: -32600, null: -32700"
    assert.strictEqual(codes.toSorted().join(", "), expected)
    assert.notInclude(stderr, "    at ")
  })

  liveTest("says in the answer to a prompt what is wrong with the configuration", function* () {
    const made = yield* sandboxed
    const { agent } = yield* openEditor(made.root)
    const project = join(made.root, "project")
    made.write("project/task-conductor.json", '{ "modle": "x" }')
    const refused = yield* refusal(() => agent.request(methods.agent.session.new, { cwd: project, mcpServers: [] }))
    assert.strictEqual(refused?.code, -32602)
    assert.include(refused?.message, 'unknown key "modle". Nearest: model.')
  })
})

/** The options of a session as an editor gets them, each with its value and the values that it may have. */
const choicesOf = (options: ReadonlyArray<SessionConfigOption> | null | undefined) =>
  Object.fromEntries(
    (options ?? []).map((option) => [
      option.id,
      option.type === "select"
        ? [option.currentValue, ...option.options.map((one) => ("value" in one ? one.value : one.group))]
        : []
    ])
  )

describe("the choices of a session", () => {
  const models = [{ name: "alpha:1b" }, { name: "beta:2b" }]

  liveTest("are the mode and a model of the server, which the next prompt uses", function* () {
    const { root } = yield* sandboxed
    const server = yield* FakeOllama.make(() => "It is 8042, as I know.", { models })
    const { agent, text } = yield* openEditor(root, [], { OLLAMA_HOST: server.url, TASK_CONDUCTOR_MODEL: "" })
    const { configOptions, sessionId } = yield* newSession(agent, join(root, "project"))
    assert.deepStrictEqual(choicesOf(configOptions), {
      mode: ["ask", "ask", "plan", "run"],
      model: ["(none)", "(none)", "alpha:1b", "beta:2b"]
    })
    assert.deepStrictEqual(
      configOptions?.map(({ category }) => category),
      ["mode", "model"]
    )
    const refused = yield* refusal(() =>
      agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text: "Which port?" }] })
    )
    assert.deepStrictEqual(refused, {
      code: -32602,
      message: `No model is chosen. Pick one in the editor, or name one with --model in the arguments of the agent. The server at ${server.url} has:\n  alpha:1b\n  beta:2b`
    })
    const pick = (configId: string, value: string) =>
      agent.request(methods.agent.session.setConfigOption, { sessionId, configId, value })
    for (const model of ["beta:2b", "alpha:1b"]) {
      const picked = yield* request(() => pick("model", model))
      const [current, ...listed] = choicesOf(picked.configOptions)["model"] ?? []
      assert.deepStrictEqual([current, listed.toSorted()], [model, ["alpha:1b", "beta:2b"]])
      assert.strictEqual((yield* prompt(agent, sessionId, "Which port?")).stopReason, "end_turn", text())
      assert.strictEqual(server.chats.at(-1)?.model, model)
    }
    assert.isTrue(server.chats.at(-1)?.messages.some(({ content }) => content.includes("as I know")))
    for (const [option, value, problem] of [
      ["model", "gamma", 'has no model "gamma". Models: alpha:1b, beta:2b.'],
      ["mode", "fly", 'There is no mode "fly".'],
      ["colour", "red", 'There is no option "colour". Options: mode, model.']
    ] as const) {
      assert.include((yield* refusal(() => pick(option, value)))?.message, problem)
    }
  })

  liveTest("are for a prompt those with which it was sent", function* () {
    const { root, write } = yield* sandboxed
    const held: Array<() => void> = []
    let isHolding = false
    const port = yield* serve((_request, response) => {
      const list = () => void response.end('{"models":[]}')
      if (isHolding) held.push(list)
      else list()
    })
    const env = { OLLAMA_HOST: `127.0.0.1:${port}`, TASK_CONDUCTOR_MODEL: "" }
    const { agent, of, text } = yield* openEditor(root, ["--allow", "read_file"], env)
    const { sessionId } = yield* newSession(agent, join(root, "project"))
    const setMode = (modeId: string) =>
      request(() => agent.request(methods.agent.session.setMode, { sessionId, modeId }))
    yield* setMode("plan")
    write("config/task-conductor/config.json", '{ "model": "embedded" }')
    isHolding = true
    const planned = yield* Effect.forkChild(prompt(agent, sessionId, "Where is the port of the server?"))
    yield* waitFor("the list of models", () => held.length > 0)
    yield* setMode("run")
    isHolding = false
    held.forEach((list) => list())
    assert.strictEqual((yield* Fiber.join(planned)).stopReason, "end_turn")
    assert.include(text(), "### Task section 1")
    assert.strictEqual(of("tool_call").length, 0)
  })

  liveTest("have the same mode, however the editor sets it", function* () {
    const { agent, configOptions, of, sessionId, setMode } = yield* openSession()
    assert.deepStrictEqual(choicesOf(configOptions)["model"], ["embedded", "embedded"])
    yield* setMode("plan")
    yield* waitFor("the new options", () => of("config_option_update").length === 1)
    assert.strictEqual(choicesOf(of("config_option_update")[0]?.configOptions)["mode"]?.[0], "plan")
    const { configOptions: now } = yield* request(() =>
      agent.request(methods.agent.session.setConfigOption, { sessionId, configId: "mode", value: "run" })
    )
    assert.strictEqual(choicesOf(now)["mode"]?.[0], "run")
    yield* waitFor("the new mode", () => of("current_mode_update").length === 1)
    assert.strictEqual(of("current_mode_update")[0]?.currentModeId, "run")
  })
})

describe("acp with a model that changes files", () => {
  liveTest("shows the diff of a change, and makes it after a yes", function* () {
    const answer = "The timeout is 30 s now: [src/limits.js](src/limits.js#L2)."
    const editor = yield* openSession([], inOrder(change, answer))
    editor.choose = () => "once"
    const { stopReason } = yield* editor.say("Raise the timeout to 30 s.")
    assert.strictEqual(stopReason, "end_turn", editor.stderr())
    assert.strictEqual(editor.asked.length, 1)
    const file = join(editor.root, "project/src/limits.js")
    const { content, locations, toolCallId } = editor.asked[0]!.toolCall
    assert.deepStrictEqual(
      content?.find(({ type }) => type === "diff"),
      {
        type: "diff",
        path: file,
        oldText: "export const limits = {\n  requestTimeout: 10_000,\n  retries: 3\n}",
        newText: "export const limits = {\n  requestTimeout: 30_000,\n  retries: 3\n}"
      }
    )
    assert.deepStrictEqual(locations, [{ path: file, line: 1 }])
    assert.include(readFileSync(file, "utf8"), "requestTimeout: 30_000")
    const states = editor.updates.flatMap((update) =>
      "toolCallId" in update && update.toolCallId === toolCallId ? [update.status] : []
    )
    assert.deepStrictEqual(states, ["pending", "pending", "in_progress", "completed"])
    assert.include(editor.text(), "The timeout is 30 s now")
  })

  liveTest("changes nothing after a no, an answer that was not offered, or none", function* () {
    for (const answer of ["deny", "always-and-everything", undefined]) {
      const editor = yield* openSession([], inOrder(change, "Done."))
      editor.choose = () => answer
      yield* editor.say("Raise the timeout to 30 s.")
      assert.include(readFileSync(join(editor.root, "project/src/limits.js"), "utf8"), "10_000")
      assert.strictEqual(editor.text().match(/Nothing was changed: /g)?.length, 1, editor.text())
      const id = editor.asked[0]?.toolCall.toolCallId
      const last = editor.of("tool_call_update").findLast(({ toolCallId }) => toolCallId === id)
      assert.strictEqual(last?.status, "failed")
    }
  })

  liveTest("stops an answer and a question at a cancel, and takes the next prompt", function* () {
    const { root } = yield* sandboxed
    const server = yield* serving(({ messages }) => {
      const last = messages.at(-1)?.content ?? ""
      return last.includes("Wait for ever")
        ? { text: "never", hold: "never" }
        : last.includes("Raise")
          ? change
          : "Done."
    })
    const editor = yield* openEditor(root, ["--model", fakeModel], { OLLAMA_HOST: server.url })
    const { sessionId } = yield* newSession(editor.agent, join(root, "project"))
    const cancel = () => request(() => editor.agent.notify(methods.agent.session.cancel, { sessionId }))

    const raised = editor.agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: "text", text: "Raise the timeout." }]
    })
    const held = Promise.withResolvers<undefined>()
    editor.choose = () => held.promise
    yield* waitFor("a question", () => editor.asked.length === 1)
    const beside = { sessionId, prompt: [{ type: "text" as const, text: "Where?" }] }
    assert.include(
      (yield* refusal(() => editor.agent.request(methods.agent.session.prompt, beside)))?.message,
      "This session is still answering a prompt."
    )
    yield* cancel()
    held.resolve(undefined)
    assert.strictEqual((yield* request(() => raised)).stopReason, "cancelled")
    assert.include(readFileSync(join(root, "project/src/limits.js"), "utf8"), "10_000")

    const before = server.chats.length
    const waiting = editor.agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: "text", text: "Wait for ever." }]
    })
    yield* server.until(({ chats }) => chats.length > before)
    yield* cancel()
    assert.strictEqual((yield* request(() => waiting)).stopReason, "cancelled")
    yield* server.until(({ abortedCount }) => abortedCount() === 1)
  })

  liveTest("asks about all changes of a step of a run at once, and puts what was done above the answer", function* () {
    const added = "src/new.js\n```\n<<<<<<< SEARCH\n=======\nexport {}\n>>>>>>> REPLACE\n```"
    const editor = yield* openSession([], ({ messages }) => {
      if (stageNameOf(messages) === "creation") return planOf([[{ name: "Raise 1" }]])
      const isChanged = messages.some(({ content }) => content.includes("### Changed: "))
      return isChanged ? resultSaying("The timeout is 30 s now.") : `${change}\n\n${added}`
    })
    editor.write("project/.task-conductor/skills/any/SKILL.md", freeSkill.replace("name: free", "name: any"))
    editor.choose = () => "once"
    yield* editor.setMode("run")
    assert.strictEqual((yield* editor.say("Raise the timeout to 30 s.")).stopReason, "end_turn")
    assert.strictEqual(editor.asked.length, 1, editor.text())
    const project = join(editor.root, "project")
    const paths = editor.asked[0]?.toolCall.content?.flatMap((one) => (one.type === "diff" ? [one.path] : []))
    assert.deepStrictEqual(paths, [join(project, "src/limits.js"), join(project, "src/new.js")])
    assert.isTrue(existsSync(join(project, "src/new.js")))
    assert.match(editor.text(), /src\/limits\.js[^]*The timeout is 30 s now\.[^]*Undo it: task-conductor undo /)
  })
})
