/**
 * `task-conductor acp`: an agent for editors, over stdin and stdout with the Agent Client Protocol. Only this folder
 * uses the SDK of the protocol.
 */
import {
  agent,
  type AgentContext,
  type LoadSessionRequest,
  type McpServer,
  methods,
  type NewSessionRequest,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type RequestPermissionRequest,
  type SessionUpdate
} from "@agentclientprotocol/sdk"
import type * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import * as Command from "effect/cli/Command"
import { isAbsolute } from "node:path"
import { Readable } from "node:stream"
import { isFolder } from "../../kit/files.ts"
import { type Configuration, conversationPlace, mergeConfigurations, readSetup, version } from "../../kit/program.ts"
import { type ConversationMessage, conversationOf, isFromUser, makeRunId, readMessageTurn } from "../../kit/runs.ts"
import {
  approvalFlags,
  approvedBeforehand,
  type CommandFailure,
  failureOf,
  flagConfiguration,
  modelFlags,
  Output,
  redactValue,
  reserveStdout,
  runFlags,
  usageFailure,
  withHelp
} from "../../kit/terminal.ts"
import type { McpServerEntry } from "../../kit/tools.ts"
import { type AcpSession, type Editor, makeSession, type SessionOptions } from "./AcpSession.ts"
import { modes, readModelChoice } from "./SessionChoices.ts"
import { messageChunk } from "./SessionUpdates.ts"

/** The editor's MCP servers as entries of this program's configuration. */
const serverEntries = (servers: ReadonlyArray<McpServer>): Record<string, McpServerEntry> =>
  Object.fromEntries(
    servers.map((server): [string, McpServerEntry] => {
      if ("command" in server) {
        const { args, command, env, name } = server
        return [name, { command, args, env: Object.fromEntries(env.map(({ name, value }) => [name, value])) }]
      }
      const { headers, name, type, url } = server
      return [name, { type, url, headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])) }]
    })
  )

/** The earlier messages of a conversation for the editor, without tool calls and messages of the program. */
const saidBefore = (messages: ReadonlyArray<ConversationMessage>): ReadonlyArray<SessionUpdate> =>
  messages.flatMap((message): ReadonlyArray<SessionUpdate> => {
    if (isFromUser(message) && message.role === "user") {
      return [{ sessionUpdate: "user_message_chunk", content: { type: "text", text: message.content.trim() } }]
    }
    if (message.role !== "assistant" || message.calls.length > 0) return []
    const { calls, changes, report } = readMessageTurn(message.content, { tools: new Set(), mayChange: true })
    return calls.length + changes.length > 0 ? [] : [messageChunk(report ?? message.content)]
  })

/** The state of a new session. An editor that does not support options uses the modes. */
const sessionState = (session: AcpSession) => ({
  modes: { currentModeId: "ask", availableModes: [...modes] },
  configOptions: session.choices.options()
})

type Services = NodeServices.NodeServices | Output | Scope.Scope

interface Serving extends Pick<SessionOptions, "approveSteps" | "yes"> {
  readonly flags: Configuration
}

/** How the agent describes itself when the editor connects. */
const initialized = {
  protocolVersion: PROTOCOL_VERSION,
  agentInfo: { name: "task-conductor", title: "task-conductor", version },
  agentCapabilities: {
    loadSession: true,
    promptCapabilities: { embeddedContext: true },
    mcpCapabilities: { http: true },
    sessionCapabilities: { close: {} }
  },
  authMethods: []
}

/** Reads the configuration of a new or continued session. */
const prepare = Effect.fnUntraced(function* (flags: Configuration, cwd: string, servers: ReadonlyArray<McpServer>) {
  if (!isAbsolute(cwd) || !(yield* isFolder(cwd))) {
    return yield* usageFailure(`${JSON.stringify(cwd)} is not the absolute path of a folder.`)
  }
  const setup = yield* Effect.mapError(readSetup(cwd, flags), failureOf)
  if (servers.length === 0) return { setup, given: flags }
  const mcpServers = { ...setup.settings.mcpServers, ...serverEntries(servers) }
  const given = mergeConfigurations(flags, { mcpServers })
  return { setup: yield* Effect.mapError(readSetup(cwd, given), failureOf), given }
})

/** The open sessions of an editor. */
const makeSessions = ({ flags, ...approved }: Serving) => {
  const sessions = new Map<string, AcpSession>()
  const open = Effect.fnUntraced(function* (options: Omit<SessionOptions, "approveSteps" | "choice" | "yes">) {
    const choice = yield* readModelChoice(options.project, options.configuration)
    const session = makeSession({ ...options, ...approved, choice })
    sessions.set(options.id, session)
    return sessionState(session)
  })

  return {
    find: (id: string) => sessions.get(id),
    get: (id: string): AcpSession => {
      const session = sessions.get(id)
      if (session === undefined) throw RequestError.sessionNotFound(id)
      return session
    },
    remove: (id: string) => void sessions.delete(id),
    begin: Effect.fnUntraced(function* (client: AgentContext, { cwd, mcpServers }: NewSessionRequest) {
      const { given } = yield* prepare(flags, cwd, mcpServers)
      const id = yield* makeRunId
      const state = yield* open({ id, project: cwd, configuration: given, messages: [], editor: editorOf(client, id) })
      return { sessionId: id, ...state }
    }),
    /** Continues a saved conversation, and sends its messages to the editor. Undefined if there is none. */
    load: Effect.fnUntraced(function* (client: AgentContext, { cwd, mcpServers, sessionId: id }: LoadSessionRequest) {
      const { given: sessionFlags, setup } = yield* prepare(flags, cwd, mcpServers)
      const saved = yield* conversationOf(conversationPlace(setup), id)
      if (Option.isNone(saved)) return undefined
      const { messages } = saved.value
      const editor = editorOf(client, id)
      const before = sessions.get(id)
      if (before !== undefined) yield* before.close
      const state = yield* open({ id, project: cwd, configuration: sessionFlags, messages, editor })
      saidBefore(messages).forEach(editor.update)
      return state
    })
  }
}

const setOption = (
  session: AcpSession,
  option: string,
  value: string
): Effect.Effect<void, CommandFailure, Services> => {
  if (option === "mode") return session.choices.setMode(value)
  if (option === "model") return session.choices.setModel(value)
  return Effect.fail(usageFailure(`There is no option ${JSON.stringify(option)}. Options: mode, model.`))
}

const serve = Effect.fnUntraced(function* (serving: Serving) {
  const services = yield* Effect.context<Services>()
  const sessions = makeSessions(serving)
  const send = reserveStdout()

  /** Handles a request. A failure that the user can correct becomes an error for the editor. */
  const answer = async <A>(work: Effect.Effect<A, CommandFailure, Services>): Promise<A> => {
    const done = await Effect.runPromiseWith(services)(Effect.result(work))
    if (Result.isSuccess(done)) return done.success
    const { exitCode, text } = done.failure
    throw new RequestError(exitCode === 2 ? -32602 : -32603, text, { exit_code: exitCode })
  }

  const stdin = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>
  const stdout = new WritableStream<Uint8Array>({ write: send })
  const app = agent({ name: "task-conductor" })
    .onRequest(methods.agent.initialize, () => initialized)
    .onRequest(methods.agent.session.new, ({ client, params }) => answer(sessions.begin(client, params)))
    .onRequest(methods.agent.session.load, async ({ client, params }) => {
      const loaded = await answer(sessions.load(client, params))
      if (loaded === undefined) throw RequestError.sessionNotFound(params.sessionId)
      return loaded
    })
    .onRequest(methods.agent.session.setMode, async ({ client, params: { modeId, sessionId } }) => {
      const session = sessions.get(sessionId)
      await answer(session.choices.setMode(modeId))
      editorOf(client, sessionId).update({
        sessionUpdate: "config_option_update",
        configOptions: session.choices.options()
      })
    })
    .onRequest(methods.agent.session.setConfigOption, async ({ client, params }) => {
      const { configId, sessionId } = params
      const session = sessions.get(sessionId)
      const value = String(params.value)
      await answer(setOption(session, configId, value))
      if (configId === "mode") {
        editorOf(client, sessionId).update({ sessionUpdate: "current_mode_update", currentModeId: value })
      }
      return { configOptions: session.choices.options() }
    })
    .onRequest(methods.agent.session.prompt, async ({ params: { prompt, sessionId } }) => ({
      stopReason: await answer(sessions.get(sessionId).prompt(prompt))
    }))
    .onRequest(methods.agent.session.close, async ({ params: { sessionId } }) => {
      await answer(sessions.get(sessionId).close)
      sessions.remove(sessionId)
    })
    .onNotification(methods.agent.session.cancel, async ({ params: { sessionId } }) => {
      const session = sessions.find(sessionId)
      if (session !== undefined) await answer(session.cancel)
    })
  const connection = app.connect(ndJsonStream(stdout, stdin))
  yield* Effect.promise(() => connection.closed)
}, Effect.scoped)

/** Removes the environment's secrets from messages to the editor. */
const clean = <A>(value: A): A => redactValue(value as Schema.Json) as A

const editorOf = (client: AgentContext, sessionId: string): Editor => ({
  update: (update) =>
    void client.notify(methods.client.session.update, clean({ sessionId, update })).catch(() => undefined),
  ask: async (toolCall, options) => {
    const request: RequestPermissionRequest = clean({ sessionId, toolCall, options })
    const asked = client.request(methods.client.session.requestPermission, request)
    return asked.then(
      ({ outcome }) => outcome,
      () => ({ outcome: "cancelled" })
    )
  }
})

const { allow, deny, model, parallel, plugin, stageModel } = runFlags

export const acp = Command.make(
  "acp",
  { allow, deny, model, stageModel, parallel, plugin, ...modelFlags, ...approvalFlags },
  Effect.fn("acp")(function* (flags) {
    const { emit, canAsk } = yield* Output
    if (canAsk) yield* emit("Waiting for an editor on stdin. This command is started by editors; Ctrl-C ends it.")
    yield* serve({ flags: flagConfiguration(flags), ...approvedBeforehand(flags) })
  })
).pipe(
  withHelp(
    "Start an agent for editors on stdin and stdout (Agent Client Protocol). The editor shows plans, changes and questions, and its modes choose between a conversation, a plan and a run",
    {
      "task-conductor acp --model qwen3:8b": "What an editor starts",
      'task-conductor acp --allow "run_command:npm test"': "Allow a command without a question"
    }
  )
)
