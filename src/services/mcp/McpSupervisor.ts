/**
 * Keeps one server of tools usable: a server whose connection broke is restarted for the next call, and a tool whose
 * definition changed by the restart is not called in this run.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as HttpClient from "effect/http/HttpClient"
import type * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { McpResult } from "../../domain/plugins/McpResult.ts"
import type { Arguments } from "../../domain/tools/ToolCall.ts"
import {
  connect,
  type McpAddress,
  type McpConnection,
  McpFailure,
  type McpOptions,
  type McpToolDefinition
} from "./McpConnection.ts"

export interface SupervisedServer {
  /** The tools it offered when the run began; they stay the same until the run ends. */
  readonly tools: ReadonlyArray<McpToolDefinition>
  readonly malformed: McpConnection["malformed"]
  /** Calls a tool. Interruption cancels the request at the server. A call is sent at most once. */
  readonly call: (tool: McpToolDefinition, args: Arguments) => Effect.Effect<McpResult, McpFailure>
}

interface OpenConnection {
  readonly connection: McpConnection
  readonly scope: Scope.Closeable
}

/** Connects to the server; it stops with the scope. */
export const superviseServer = Effect.fn("McpSupervisor.superviseServer")(function* (
  address: McpAddress,
  options: McpOptions
) {
  const context = yield* Effect.context<ChildProcessSpawner.ChildProcessSpawner | HttpClient.HttpClient | Scope.Scope>()
  const mutex = (yield* Semaphore.make(1)).withPermits(1)
  let current: OpenConnection | undefined
  /** True when no call has succeeded since the last restart. */
  let wasRestarted = false

  const open = Effect.gen(function* () {
    const scope = yield* Scope.fork(yield* Effect.scope)
    const connection = yield* connect(address, options).pipe(
      Scope.provide(scope),
      Effect.onExit((exit) => (Exit.isSuccess(exit) ? Effect.void : Scope.close(scope, exit)))
    )
    current = { connection, scope }
    return connection
  }).pipe(Effect.provideContext(context))

  const drop = (broken: McpConnection) =>
    Effect.suspend(() => {
      if (current?.connection !== broken) return Effect.void
      const { scope } = current
      current = undefined
      return Scope.close(scope, Exit.void)
    })

  /** The connection; a new one when the last one broke. */
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
  const server: SupervisedServer = {
    tools: first.tools,
    malformed: first.malformed,
    call: Effect.fn("McpSupervisor.call")(function* (tool, args) {
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
  return server
})
