/**
 * The door `task-conductor/cluster`: runs that machines share over a PostgreSQL database, for scripts. A worker carries
 * them out, clients begin, follow, answer and cancel them. What the command line gives with `run --cluster`, `attach`,
 * `cancel` and `worker`.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { type RunHandle, startWork } from "./library/runHandle.ts"
import { orderOf, type RunOptions } from "./library/runOptions.ts"
import { onThisMachine, type ScriptOptions, scriptWork, setupOf } from "./library/scriptOptions.ts"
import { Approver } from "./services/approvals/Approver.ts"
import { type Approve, layerCallback } from "./services/approvals/CallbackApprover.ts"
import { type Arbitrate, layerCallbackArbiter } from "./services/approvals/CallbackArbiter.ts"
import {
  attachRun,
  cancelRun,
  DatabaseAddress,
  layerClient,
  layerClusterRuns,
  layerWorkerEnvironment,
  submitRun
} from "./app/clusterClient.ts"
import { holdWorker, layerWorker } from "./app/worker.ts"

export { DatabaseUnavailable, DatabaseUnnamed } from "./services/cluster/ClusterDatabase.ts"
export { ProjectShared } from "./services/cluster/ClusterRuns.ts"
export { RunWaits } from "./services/cluster/RunFollower.ts"
export { RunRefused } from "./services/pipeline/RunWorkflow.ts"

/** Where the runs are. */
export interface DatabaseOptions {
  /** The address of the database, such as `postgres://user@host/name`; `TASK_CONDUCTOR_DATABASE` when absent. */
  readonly database?: string
}

/** Who answers what a run asks. Without them a question makes the report reject with `RunWaits`, and the run waits. */
export interface AnswerOptions {
  readonly approve?: Approve
  /** Decides about calls that were begun by a worker that died. */
  readonly arbitrate?: Arbitrate
  /** Stops following when it aborts; the run goes on. */
  readonly signal?: AbortSignal
}

type Ordered = "prompt" | "project" | "limits" | "allow" | "deny" | "file" | "skill" | "plan" | "readOnly"

/**
 * How a script orders a run from workers. The project is a folder that every worker has at the same path. What belongs to
 * a machine, such as its model server, the workers bring.
 */
export interface ClusterRunOptions extends DatabaseOptions, AnswerOptions, Pick<RunOptions, Ordered> {
  /** A name as for `--model`. */
  readonly model?: string
}

/** How a worker works. */
export interface WorkOptions extends DatabaseOptions, Pick<ScriptOptions, "allow" | "deny" | "host" | "parallel"> {
  /** Ends the worker when it aborts; others go on with what it has. */
  readonly signal: AbortSignal
  /** Told of the work that begins and ends here, in words. */
  readonly tell?: (what: string) => void
}

const atDatabase =
  ({ database = "" }: DatabaseOptions) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    work.pipe(Effect.provideService(DatabaseAddress, database), onThisMachine({}))

const layerAnswers = ({ approve, arbitrate }: AnswerOptions) =>
  Layer.merge(
    approve === undefined ? Approver.layerDenyAll : layerCallback(approve),
    arbitrate === undefined ? Layer.empty : layerCallbackArbiter(arbitrate)
  )

/** Begins a run on the workers and follows it. Interrupting stops following; `cancel` ends the run. */
export const run = (options: ClusterRunOptions): RunHandle =>
  startWork({ signal: options.signal }, (listen, runId) =>
    Effect.gen(function* () {
      const order = yield* orderOf(options, runId)
      const { allow = [] } = options
      const setup = yield* setupOf(options, scriptWork(options, listen))
      yield* submitRun(setup, order, { allow, approveSteps: false })
      return yield* attachRun(runId, (recorded) => Effect.sync(() => listen(recorded)))
    }).pipe(Effect.provide([layerClient, layerAnswers(options)]), atDatabase(options))
  )

/** Follows a run from its beginning, whoever began it. */
export const attach = (runId: string, options: DatabaseOptions & AnswerOptions = {}): RunHandle =>
  startWork({ runId, signal: options.signal }, (listen) =>
    attachRun(runId, (recorded) => Effect.sync(() => listen(recorded))).pipe(
      Effect.provide([layerClient, layerAnswers(options)]),
      atDatabase(options)
    )
  )

/** Ends a run within seconds; false when it had ended before. */
export const cancel = (runId: string, options: DatabaseOptions = {}): Promise<boolean> =>
  cancelRun(runId).pipe(
    Effect.map(({ isCancelled }) => isCancelled),
    Effect.provide(layerClusterRuns),
    atDatabase(options),
    Effect.runPromise
  )

/** Carries out runs until the signal aborts. Rejects when the database cannot be used. */
export const work = ({ signal, tell = () => undefined, ...options }: WorkOptions): Promise<void> => {
  const scripted = scriptWork(options, () => undefined)
  const working = Effect.gen(function* () {
    const { settings } = yield* setupOf({}, scripted)
    const flags = scripted.given
    const worker = layerWorker({ flags, parallel: settings.slots, tell: (what) => Effect.sync(() => tell(what)) })
    return yield* holdWorker(Layer.provide(worker, layerWorkerEnvironment), Effect.void)
  })
  const fiber = Effect.runFork(atDatabase(options)(working))
  const end = (): void => void Effect.runFork(Fiber.interrupt(fiber))
  if (signal.aborted) end()
  signal.addEventListener("abort", end, { once: true })
  return Effect.runPromise(Fiber.await(fiber)).then((exit) => {
    if (Exit.isFailure(exit) && !Cause.hasInterruptsOnly(exit.cause)) throw Cause.squash(exit.cause)
  })
}
