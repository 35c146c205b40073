/**
 * Servers of tools as plugins: each one is asked about if it must be, started, and its tools made into tools of ours.
 * Whatever goes wrong with a server keeps only that server out. Called by the composition root.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as FileSystem from "effect/FileSystem"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Path from "effect/Path"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Result from "effect/Result"
import * as Scope from "effect/Scope"
import type { McpServerEntry } from "../../domain/plugins/McpServerEntry.ts"
import { causeText, runIsolated } from "../plugins/ForeignCode.ts"
import { Gate } from "../permissions/Gate.ts"
import { McpProblem } from "../plugins/McpProblem.ts"
import { type McpServer, readMcpServers } from "./McpServers.ts"
import { mcpTools } from "./McpTools.ts"
import { type SupervisedServer, superviseServer } from "./McpSupervisor.ts"
import { definePlugin, type Plugin } from "../plugins/Plugin.ts"

/** One server that is named somewhere, with what became of it. */
export interface KnownServer {
  readonly server: McpServer
  /** Its plugin; or why it is not used. */
  readonly outcome: Result.Result<Plugin, McpProblem>
}

/** What the layer is made for. */
export interface McpOrder {
  /** Absolute. */
  readonly project: string
  /** The servers of the person's own configuration. */
  readonly own: Readonly<Record<string, McpServerEntry>>
  /** The version of this program, told to servers. */
  readonly version: string
}

const defaultStartTimeout = 30
const maxDoes = 400

/** Where a tool of a server comes from, as a person sees it. */
export const mcpOrigin = (server: string): string => `mcp:${server}`

/** What a server that was reached gives: its plugin, and what had to be left out of it. */
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

/** Asks about one server, unless the person named it. Fails with what is to be said. */
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

/** What a server says is foreign: also what this program trips over is the server's problem alone. */
const startServer = Effect.fnUntraced(function* (server: McpServer, version: string) {
  const timeout = `${server.entry.startTimeout ?? defaultStartTimeout} seconds` as const
  const exit = yield* runIsolated(
    Effect.map(superviseServer(server.address, { timeout, version }), (supervised) => pluginOf(server, supervised))
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
    /** Every server that could be started, also when it is not used. */
    readonly known: ReadonlyArray<KnownServer>
    /** What can be given to the tool registry. */
    readonly plugins: ReadonlyArray<Plugin>
    /** Everything that is left out: entries, servers, single tools. */
    readonly problems: ReadonlyArray<McpProblem>
  }
>()("task-conductor/services/mcp/McpPlugins") {
  /** Starts the servers side by side once all questions are answered; they end with the layer. */
  static readonly layer = (
    order: McpOrder
  ): Layer.Layer<
    McpPlugins,
    never,
    ChildProcessSpawner.ChildProcessSpawner | FileSystem.FileSystem | Gate | Path.Path
  > =>
    Layer.effect(
      McpPlugins,
      Effect.gen(function* () {
        const { problems, servers } = yield* readMcpServers(order)
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
          known,
          plugins: known.flatMap(({ outcome }) => (Result.isSuccess(outcome) ? [outcome.success] : [])),
          problems: [
            ...problems,
            ...started.flatMap((one) => one.leftOut),
            ...known.flatMap(({ outcome }) => (Result.isFailure(outcome) ? [outcome.failure] : []))
          ]
        })
      })
    ).pipe(Layer.provide(FetchHttpClient.layer))
}
