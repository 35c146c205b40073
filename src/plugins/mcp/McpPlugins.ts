/**
 * Turns MCP servers into plugins. The gate asks about servers that a project names. If a server fails, only its tools
 * are missing.
 */
import * as Arr from "effect/Array"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { readableSchema } from "./McpSchema.ts"
import { mcpData, mcpToolName, mcpToolEffect, mcpToolRisk } from "./McpTool.ts"
import { hashOf } from "../../kit/files.ts"
import { RunEvents } from "../../kit/runs.ts"
import { cutAtParagraph, harmless } from "../../kit/text.ts"
import {
  beforeRun,
  causeText,
  Gate,
  jsonSchemaParameters,
  McpProblem,
  type McpServerEntry,
  parameterSchema,
  questionOfAccess,
  runIsolated,
  WaitingNotice
} from "../../kit/tools.ts"
import {
  type Arguments,
  definePlugin,
  type Discovery,
  type Plugin,
  tool,
  type Tool,
  ToolFailure,
  type Tools
} from "../../plugin-kit.ts"
import type { McpAddress } from "./McpAddress.ts"
import type { McpConnection, McpToolDefinition } from "./McpConnection.ts"
import * as Result from "effect/Result"
import { type McpServer, type NamedServer, readMcpServers, programFiles } from "./McpServers.ts"
import * as Cause from "effect/Cause"
import * as Option from "effect/Option"
import type { StrayLines } from "./McpStdout.ts"

type SupervisedServer = Effect.Success<ReturnType<typeof superviseServer>>

/** Loads the MCP client only when the first server needs it, because most runs use no server. */
const loadClient = Effect.promise(() =>
  Promise.all([import("./McpConnection.ts"), import("./McpFailure.ts"), import("effect/http/FetchHttpClient")])
)

/**
 * Connects to a server until the scope closes. A broken connection is opened again at the next call. A tool whose
 * definition has changed by then is no longer called in this run.
 */
const superviseServer = Effect.fn("McpSupervisor.superviseServer")(function* (
  address: McpAddress,
  timeout: Duration.Input,
  version: string,
  isAsTrusted: Effect.Effect<boolean> = Effect.succeed(true)
) {
  const [{ connect }, { McpFailure }, { layer: layerHttp }] = yield* loadClient
  const context = yield* Effect.context<ChildProcessSpawner.ChildProcessSpawner | Scope.Scope>()
  const mutex = (yield* Semaphore.make(1)).withPermits(1)
  let current: { readonly connection: McpConnection; readonly scope: Scope.Closeable } | undefined
  /** True if no call has succeeded since the server was started again. */
  let wasRestarted = false

  const open = Effect.gen(function* () {
    if (!(yield* isAsTrusted)) {
      const detail = "its program changed since you were asked about it. Start another run to be asked again."
      return yield* new McpFailure({ type: "permission_denied", detail, isBroken: true })
    }
    const scope = yield* Scope.fork(yield* Effect.scope)
    const connection = yield* connect(address, timeout, version).pipe(
      Scope.provide(scope),
      Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit)))
    )
    current = { connection, scope }
    return connection
  }).pipe(Effect.provide(layerHttp), Effect.provideContext(context))

  const drop = (broken: McpConnection) =>
    Effect.suspend(() => {
      if (current?.connection !== broken) return Effect.void
      const { scope } = current
      current = undefined
      return Scope.close(scope, Exit.void)
    })

  /** The current connection, or a new one if it is broken. */
  const usable = Effect.gen(function* () {
    if (current !== undefined && (yield* current.connection.isRunning)) return current.connection
    if (current !== undefined) yield* drop(current.connection)
    if (wasRestarted) {
      const detail = "it failed again after a restart and is not restarted again in this run."
      return yield* new McpFailure({ type: "io_error", detail, isBroken: true })
    }
    wasRestarted = true
    return yield* open
  }).pipe(mutex)

  const first = yield* open
  return {
    /** The server's tools at the start of the run. They stay the same during the run. */
    tools: first.tools,
    malformed: first.malformed,
    cutList: first.cutList,
    stray: () => current?.connection.stray ?? first.stray,
    /** Calls a tool. A failed call is never repeated. An interruption cancels the request. */
    call: Effect.fn("McpSupervisor.call")(function* (tool: McpToolDefinition, args: Arguments) {
      const connection = yield* usable
      if (connection.tools.find(({ name }) => name === tool.name)?.hash !== tool.hash) {
        const detail = "its definition of this tool changed with a restart, so the tool is not called in this run."
        return yield* new McpFailure({ type: "permission_denied", detail, isBroken: false })
      }
      const result = yield* connection
        .call(tool.name, args)
        .pipe(Effect.tapError(({ isBroken }) => (isBroken ? mutex(drop(connection)) : Effect.void)))
      wasRestarted = false
      return result
    })
  }
})

/** The note about a server that writes lines to stdout that are not messages. */
const strayNote = (server: string, { first }: StrayLines): McpProblem =>
  new McpProblem({
    server,
    detail: `task-conductor skips lines that it writes to stdout and that are not messages. The first is ${JSON.stringify(harmless(first))}. Its log belongs on stderr.`,
    isUsed: true
  })

const cutNote = (server: string, cutList: string): McpProblem =>
  new McpProblem({
    server,
    detail: `it ends the list of its tools ${cutList}, which is a fault of the server: tools on later pages may be missing.`,
    isUsed: true
  })

const maxDescription = 2000

/** The description for the model, of limited length and without control characters. */
const descriptionOf = ({ description, name }: McpToolDefinition): string => {
  const text = cutAtParagraph(harmless(description).trim(), maxDescription).text
  return text === "" ? name : text
}

const parametersOf = ({ inputSchema }: McpToolDefinition) => {
  const readable = readableSchema(inputSchema)
  if (Result.isFailure(readable)) return Result.fail(readable.failure)
  const parameters = jsonSchemaParameters(readable.success)
  if (Result.isFailure(parameters)) {
    return Result.fail(`the schema of its parameters cannot be read: ${parameters.failure}.`)
  }
  const isStruct = parameterSchema(parameters.success)["type"] === "object"
  return isStruct
    ? parameters
    : Result.fail("the schema of its parameters does not describe an object with properties.")
}

interface RunningServer extends Pick<SupervisedServer, "call" | "malformed" | "tools"> {
  /** Runs after a call. Reports each fault of the server once. */
  readonly reportFaults?: Effect.Effect<void>
}

const toolOf = (
  server: McpServer,
  supervised: RunningServer,
  definition: McpToolDefinition
): Result.Result<Tool<Arguments>, string> =>
  Result.map(parametersOf(definition), (parameters) =>
    tool({
      description: descriptionOf(definition),
      parameters,
      risk: mcpToolRisk(server.entry, definition),
      effect: mcpToolEffect(server.entry, definition.name),
      revision: definition.hash,
      execute: (args) =>
        supervised.call(definition, args).pipe(
          Effect.ensuring(supervised.reportFaults ?? Effect.void),
          Effect.mapError(({ detail, type }) => {
            const message = `The server "${server.name}" could not run the tool: ${detail}`
            return new ToolFailure({ type, message })
          }),
          Effect.flatMap((result) => Effect.fromResult(mcpData(definition.name, result)))
        )
    })
  )

/** The tools of a server, by their full names. */
export const mcpTools = (
  server: McpServer,
  supervised: RunningServer
): { readonly tools: Tools; readonly leftOut: ReadonlyArray<McpProblem> } => {
  const tools = new Map<string, Tool<Arguments>>()
  const leave = (name: string, detail: string) => new McpProblem({ server: server.name, tool: name, detail })
  const leftOut = supervised.malformed.map((one) => leave(one.tool, `it is not well formed: ${one.detail}`))
  for (const definition of supervised.tools) {
    const name = mcpToolName(server.prefix, definition.name)
    const converted = toolOf(server, supervised, definition)
    if (name === undefined) leftOut.push(leave(definition.name, "its name cannot become the name of a tool."))
    else if (tools.has(name))
      leftOut.push(leave(definition.name, `another tool of the server has the name ${name}, too.`))
    else if (Result.isFailure(converted)) leftOut.push(leave(definition.name, converted.failure))
    else tools.set(name, converted.success)
  }
  return { tools: Object.fromEntries(tools), leftOut }
}

interface KnownServer {
  readonly server: NamedServer
  readonly outcome: Result.Result<Plugin, McpProblem>
  /** Unusable tools, and faults of the server. */
  readonly leftOut: ReadonlyArray<McpProblem>
}

interface McpOrder {
  /** The absolute path of the project. */
  readonly project: string
  /** The servers of the user's configuration. */
  readonly userServers: Readonly<Record<string, McpServerEntry>>
  readonly version: string
}

/** The default time limit for a start, in seconds. */
export const defaultStartTimeout = 10
/** A notice names a server whose start takes longer than this. */
const quietStart = "2 seconds"
const maxDoes = 400

/** The origin of a server's tools, for users. */
const mcpOrigin = (server: string): string => `mcp:${server}`

const notUsed = (server: NamedServer, detail: string): KnownServer => ({
  server,
  outcome: Result.fail(new McpProblem({ server: server.name, detail })),
  leftOut: []
})

/**
 * The plugin of a server. If the server writes other text than messages to stdout, the user gets one note: in `leftOut`
 * at the start, or as an event later.
 */
const pluginOf = (server: McpServer, supervised: SupervisedServer, events: RunEvents["Service"]): KnownServer => {
  let isReported = supervised.stray().count > 0
  const reportNotes = Effect.suspend(() => {
    const stray = supervised.stray()
    if (isReported || stray.count === 0) return Effect.void
    isReported = true
    return events.publish({ type: "message", level: "warning", text: strayNote(server.name, stray).message })
  })
  const notes = [
    ...(supervised.cutList === undefined ? [] : [cutNote(server.name, supervised.cutList)]),
    ...(isReported ? [strayNote(server.name, supervised.stray())] : [])
  ]
  const { leftOut: tooPoor, tools } = mcpTools(server, { ...supervised, reportFaults: reportNotes })
  const leftOut = [...notes, ...tooPoor]
  if (Object.keys(tools).length === 0) return { ...notUsed(server, "it offers no tools that can be used."), leftOut }
  const plugin = definePlugin({ name: mcpOrigin(server.name), tools: Effect.succeed(tools) })
  return { server, outcome: Result.succeed(plugin), leftOut }
}

/** Asks the gate whether a server that the project names may start. Fails with the reason if it may not. */
const authorize = Effect.fnUntraced(function* (server: McpServer) {
  if (server.scope === "user") return
  const gate = yield* Gate
  yield* Effect.mapError(gate.authorize(questionOfAccess(beforeRun, server.start)), ({ message }) => {
    const does = server.start.does.join(", ").slice(0, maxDoes)
    return `the project names it, and it starts only when you trust it (${does}). ${message}`
  })
})

/** The entry of a disabled server in a list of servers. Runs do not use the server. */
const notStarted = (server: NamedServer): KnownServer =>
  notUsed(server, `it is disabled in ${server.scope === "user" ? "your configuration" : "the project's file"}.`)

/** Starts one server. Its messages are not trusted: any failure to read them, even a defect, skips only this server. */
const startServer = Effect.fnUntraced(function* (server: McpServer, { project, version }: McpOrder) {
  const timeout = `${server.entry.startTimeout ?? defaultStartTimeout} seconds` as const
  const showNotice = yield* WaitingNotice
  const events = yield* RunEvents
  const announceWait = Effect.andThen(
    Effect.sleep(quietStart),
    showNotice(`Waiting for the MCP server "${server.name}", ${timeout} at most: prompts list its tools.`)
  )
  const waiting = yield* Effect.forkChild(announceWait)
  const provide = Effect.provideContext(yield* Effect.context<FileSystem.FileSystem | Path.Path>())
  const files = Effect.map(provide(programFiles(server.address, project)), hashOf)
  const isAsTrusted = Effect.map(files, (now) => server.scope === "user" || now === server.files)
  const exit = yield* runIsolated(
    superviseServer(server.address, timeout, version, isAsTrusted).pipe(
      Effect.map((supervised) => pluginOf(server, supervised, events))
    )
  )
  yield* Fiber.interrupt(waiting)
  if (Exit.isSuccess(exit)) return exit.value
  const detail = Option.match(Cause.findErrorOption(exit.cause), {
    onSome: (failure) => failure.detail,
    onNone: () => `its description of itself cannot be read: ${causeText(exit.cause)}.`
  })
  return notUsed(server, detail)
})

/** Starts the servers in parallel, after all questions are answered. They stop when the scope closes. */
export const discoverServers: Discovery = Effect.fnUntraced(function* ({ project, settings, version }) {
  const order: McpOrder = { project, userServers: settings.mcpServers ?? {}, version }
  const { disabled, notes, problems, servers } = yield* readMcpServers(order)
  const starting = yield* Effect.forEach(servers, (server) =>
    Effect.match(authorize(server), {
      onFailure: (detail) => Effect.succeed(notUsed(server, detail)),
      onSuccess: () => startServer(server, order)
    })
  )
  const scope = yield* Scope.fork(yield* Effect.scope, "parallel")
  const started = yield* Effect.all(starting, { concurrency: "unbounded" }).pipe(Scope.provide(scope))
  const [, failures] = Arr.partition(started, ({ outcome }) => outcome)
  return {
    plugins: [...started, ...disabled.map(notStarted)].map(({ outcome, server: { name, scope } }) => ({
      origin: mcpOrigin(name),
      scope,
      outcome
    })),
    /* Notes about ignored parts of the project's file. The servers with these parts are still used. */
    notes,
    problems: [...problems, ...started.flatMap(({ leftOut }) => leftOut), ...failures]
  }
})
