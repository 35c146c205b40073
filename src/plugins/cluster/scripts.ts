/**
 * The entry point `task-conductor-cluster`: cluster runs for scripts, as promises. Workers carry out the runs over a
 * PostgreSQL database. The functions do what the commands `run --cluster`, `attach`, `cancel` and `worker` do.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import {
  configurationOf,
  newRunOf,
  onThisMachine,
  type RunHandle,
  type RunOptions,
  type ScriptOptions,
  startWork,
  withOptions
} from "../../kit/scripts.ts"
import { type Approve, type Arbitrate, layerCallback } from "../../kit/tools.ts"
import { attachRun, cancelRun, layerClient, layerClusterRuns, prepareRun, submitRun } from "./clusterClient.ts"
import { runWorker } from "./worker.ts"

export { DatabaseUnavailable, DatabaseUnnamed } from "./DatabaseErrors.ts"
export { ProjectShared, RunRefused, RunWaits } from "./RunErrors.ts"

/** The database that contains the runs. */
export interface DatabaseOptions {
  /**
   * The address of the database, such as `postgres://user@host/name`. If absent, `TASK_CONDUCTOR_DATABASE` contains it.
   */
  readonly database?: string
}

/**
 * The functions that answer the questions of a run. Without them, a question makes the report reject with `RunWaits`,
 * and the run waits for an answer.
 */
export interface AnswerOptions {
  /** Decides about the calls that need approval. */
  readonly approve?: Approve
  /** Decides about calls with an unknown outcome: a worker started such a call and then died. */
  readonly arbitrate?: Arbitrate
  /** If this signal aborts, the client stops following. The run continues. */
  readonly signal?: AbortSignal
}

type Ordered = "prompt" | "project" | "limits" | "allow" | "deny" | "file" | "skill" | "plan" | "readOnly"

/**
 * How a script starts a run on workers. Every worker needs the project at the same path. Settings that belong to a
 * machine, such as the model server, come from the workers.
 */
export interface ClusterRunOptions extends DatabaseOptions, AnswerOptions, Pick<RunOptions, Ordered> {
  /** The name of a model, as `--model` takes it. */
  readonly model?: string
  /** The priority, from -100 to 100; 0 if absent. Runs of a higher priority come first. */
  readonly priority?: number
}

/** How a worker works. */
export interface WorkOptions extends DatabaseOptions, Pick<ScriptOptions, "allow" | "deny" | "host" | "parallel"> {
  /** If this signal aborts, the worker stops. Other workers continue its work. */
  readonly signal: AbortSignal
  /** Receives a line for each run and task that starts or ends on this worker. */
  readonly tell?: (what: string) => void
}

const onCluster =
  ({ approve, arbitrate, database }: DatabaseOptions & AnswerOptions) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    work.pipe(Effect.provide(layerClient(layerCallback({ approve, arbitrate }), database)), onThisMachine({}))

/**
 * Starts a run on the workers and follows it. After an interruption, the run goes on without this client. `cancel` ends
 * the run.
 *
 * @example
 * ```ts
 * import { cancel, run } from "task-conductor-cluster"
 *
 * const { report, runId } = run({ prompt: "Describe every module below src.", approve: () => true })
 * setTimeout(() => void cancel(runId), 3_600_000).unref()
 * console.log((await report).status)
 * ```
 */
export const run = (options: ClusterRunOptions): RunHandle =>
  startWork({ signal: options.signal }, (listen, runId) =>
    Effect.gen(function* () {
      const newRun = yield* withOptions(options, "a run on a cluster", () => newRunOf(options, runId))
      yield* submitRun(yield* prepareRun(newRun, { approveSteps: false, priority: options.priority }))
      return yield* attachRun(runId, (recorded) => Effect.sync(() => listen(recorded)))
    }).pipe(onCluster(options))
  )

/** Follows a run from its beginning. Another client may have started the run. */
export const attach = (runId: string, options: DatabaseOptions & AnswerOptions = {}): RunHandle =>
  startWork({ runId, signal: options.signal }, (listen) =>
    attachRun(runId, (recorded) => Effect.sync(() => listen(recorded))).pipe(onCluster(options))
  )

/** Ends a run within seconds. Resolves to false if the run had already ended. */
export const cancel = (runId: string, options: DatabaseOptions = {}): Promise<boolean> =>
  cancelRun(runId).pipe(
    Effect.map(({ isCancelled }) => isCancelled),
    Effect.provide(layerClusterRuns(options.database)),
    onThisMachine({}),
    Effect.runPromise
  )

/**
 * Carries out runs until the signal aborts. Rejects when the database cannot be used.
 *
 * @example
 * ```ts
 * import { work } from "task-conductor-cluster"
 *
 * await work({ signal: AbortSignal.timeout(3_600_000), parallel: 4 })
 * ```
 */
export const work = ({ database, signal, tell = () => undefined, ...options }: WorkOptions): Promise<void> => {
  const worker = withOptions(options, "work", () =>
    runWorker({
      database,
      flags: configurationOf(options),
      report: (what) => Effect.sync(() => tell(what)),
      ready: Effect.void
    })
  )
  return Effect.runPromiseExit(onThisMachine({})(worker), { signal }).then((exit) => {
    if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) throw Cause.squash(exit.cause)
  })
}
