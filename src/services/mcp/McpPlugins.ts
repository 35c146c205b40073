/**
 * Servers of tools as plugins: the person is asked about those that a project names, they are started, and their tools
 * become tools of the run. A failing server leaves out only its own tools.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import type { McpServerEntry } from "../../domain/plugins/McpServerEntry.ts"
import { causeText, runIsolated } from "../plugins/ForeignCode.ts"
import { Gate } from "../permissions/Gate.ts"
import { McpProblem } from "../plugins/PluginProblem.ts"
import { type McpServer, type NamedServer, readMcpServers } from "./McpServers.ts"
import { mcpTools } from "./McpTools.ts"
import type { SupervisedServer, superviseServer } from "./McpSupervisor.ts"
import { definePlugin, type Plugin } from "../plugins/Plugin.ts"

export interface KnownServer {
  readonly server: NamedServer
  readonly outcome: Result.Result<Plugin, McpProblem>
}

interface McpOrder {
  /** Absolute. */
  readonly project: string
  /** The servers of the person's own configuration. */
  readonly own: Readonly<Record<string, McpServerEntry>>
  readonly version: string
}

export const defaultStartTimeout = 30
const maxDoes = 400

/** The origin of a server's tools, as a person sees it. */
export const mcpOrigin = (server: string): string => `mcp:${server}`

interface Started {
  readonly known: KnownServer
  readonly leftOut: ReadonlyArray<McpProblem>
}

const pluginOf = (server: McpServer, supervised: SupervisedServer): Started => {
  const { leftOut, tools } = mcpTools(server, supervised)
  const plugin = definePlugin({ name: mcpOrigin(server.name), tools: Effect.succeed(tools) })
  const outcome =
    Object.keys(tools).length > 0
      ? Result.succeed(plugin)
      : Result.fail(new McpProblem({ server: server.name, detail: "it offers no tools that can be used." }))
  return { known: { server, outcome }, leftOut }
}

/** Asks the person about a server that the project names. Fails with the message to report. */
const authorize = Effect.fnUntraced(function* (server: McpServer) {
  if (server.scope === "user") return
  const gate = yield* Gate
  yield* Effect.mapError(gate.authorizeStart(server.start), ({ message }) => {
    const does = server.start.does.join(", ").slice(0, maxDoes)
    return `the project names it, and it starts only when you trust it (${does}). ${message}`
  })
})

const notUsed = (server: McpServer, detail: string): Started => ({
  known: { server, outcome: Result.fail(new McpProblem({ server: server.name, detail })) },
  leftOut: []
})

/** What a list shows for a server that somebody disabled; no run is told of it. */
const notStarted = ({ name, scope }: NamedServer) => {
  const detail = `it is disabled in ${scope === "user" ? "your configuration" : "the project's file"}.`
  return Result.fail(new McpProblem({ server: name, detail }))
}

/** The protocol is loaded when there is a server that speaks it. */
const supervise = Effect.fnUntraced(function* (...order: Parameters<typeof superviseServer>) {
  const { superviseServer } = yield* Effect.promise(() => import("./McpSupervisor.ts"))
  const { layer } = yield* Effect.promise(() => import("effect/http/FetchHttpClient"))
  return yield* Effect.provide(superviseServer(...order), layer)
})

/** Starts one server. What it says is untrusted, so even a defect while reading it leaves out only this server. */
const startServer = Effect.fnUntraced(function* (server: McpServer, version: string) {
  const timeout = `${server.entry.startTimeout ?? defaultStartTimeout} seconds` as const
  const exit = yield* runIsolated(
    Effect.map(supervise(server.address, { timeout, version }), (supervised) => pluginOf(server, supervised))
  )
  if (Exit.isSuccess(exit)) return exit.value
  const detail = Option.match(Cause.findErrorOption(exit.cause), {
    onSome: (failure) => failure.detail,
    onNone: () => `what it says of itself cannot be read: ${causeText(exit.cause)}.`
  })
  return notUsed(server, detail)
})

export class McpPlugins extends Context.Service<
  McpPlugins,
  {
    /** Every server with a valid entry, including those that are not used or disabled. */
    readonly known: ReadonlyArray<KnownServer>
    readonly plugins: ReadonlyArray<Plugin>
    /** All entries, servers and single tools that are left out. */
    readonly problems: ReadonlyArray<McpProblem>
    /** What was ignored in the project's file, as sentences; nothing is left out because of it. */
    readonly notes: ReadonlyArray<string>
  }
>()("task-conductor/services/mcp/McpPlugins") {
  /** Starts none. */
  static readonly layerNone: Layer.Layer<McpPlugins> = Layer.succeed(McpPlugins)({
    known: [],
    plugins: [],
    problems: [],
    notes: []
  })

  /** Starts the servers in parallel once all questions are answered; they stop with the layer. */
  static readonly layer = (order: McpOrder) =>
    Layer.effect(
      McpPlugins,
      Effect.gen(function* () {
        const { disabled, notes, problems, servers } = yield* readMcpServers(order)
        const answers = yield* Effect.forEach(servers, (server) =>
          Effect.map(Effect.result(authorize(server)), (answer) => ({ server, answer }))
        )
        const scope = yield* Scope.fork(yield* Effect.scope, "parallel")
        const started = yield* Effect.forEach(
          answers,
          ({ answer, server }) =>
            Result.isFailure(answer)
              ? Effect.succeed(notUsed(server, answer.failure))
              : startServer(server, order.version),
          { concurrency: "unbounded" }
        ).pipe(Scope.provide(scope))
        const known = started.map((one) => one.known)
        return McpPlugins.of({
          known: [...known, ...disabled.map((server) => ({ server, outcome: notStarted(server) }))],
          notes,
          plugins: known.flatMap(({ outcome }) => (Result.isSuccess(outcome) ? [outcome.success] : [])),
          problems: [
            ...problems,
            ...started.flatMap((one) => one.leftOut),
            ...known.flatMap(({ outcome }) => (Result.isFailure(outcome) ? [outcome.failure] : []))
          ]
        })
      })
    )
}
