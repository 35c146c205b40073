/**
 * The process of a worker. It connects to the database, reports that it is alive, and runs the work loop. Part of the
 * composition root.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import * as Deferred from "effect/Deferred"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import { build, type Configuration, readSetup, type RunsKept, type Settings } from "../../kit/program.ts"
import {
  ClusterWorkers,
  makeCallProgressBoard,
  presenceOf,
  reportInterval,
  type WorkerReport
} from "./ClusterWorkers.ts"
import { type DatabaseUnavailable, withNotices } from "./DatabaseErrors.ts"
import { ClusterRuns } from "./ClusterRuns.ts"
import { runWorkLoop } from "./WorkLoop.ts"
import { layerNamedDatabase, layerServices } from "./clusterClient.ts"
import { type Load, makeLoad, makeSlots } from "./WorkerLoad.ts"
import { keepMetrics } from "./WorkerMetrics.ts"
import { makeServers, type WorkerServers } from "./workerServers.ts"
import { makeCarryOut, workerName, type WorkServices } from "./workerWork.ts"

export interface WorkerOptions {
  /** The address of the database. If absent, the environment variable contains it. */
  readonly database?: string | undefined
  /** The flags that apply to all runs of this worker. */
  readonly flags: Configuration
  /** Receives a line for each run and task that starts or ends on this worker. */
  readonly report: (what: string) => Effect.Effect<void>
  /** Called when the worker is ready for runs. */
  readonly ready: Effect.Effect<void>
}

/** How often a worker checks whether its report has changed, in milliseconds. */
const loadPace = 500

/**
 * Reports this worker until the scope closes: every `reportInterval`, and within `loadPace` after a change of its
 * state. Returns the report that the work loop sends with heartbeats.
 */
const reportPresence = Effect.fnUntraced(function* (
  slots: number,
  load: Load,
  progress: ReturnType<typeof makeCallProgressBoard>,
  servers: WorkerServers
) {
  const workers = yield* ClusterWorkers
  const begunAt = DateTime.formatIso(yield* DateTime.now)
  const stateNow = () => {
    const { runs, tasks } = load.count()
    return `${runs + tasks > 0} ${servers.gone() ?? ""}`
  }
  let last = { at: 0, state: "" }
  const newReport = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    last = { at: now, state: stateNow() }
    const running = progress.shown(now)
    const serverGone = servers.gone()
    const report: WorkerReport = {
      name: workerName,
      version: build,
      begunAt,
      slots,
      ...load.count(),
      ...(serverGone === undefined ? {} : { serverGone }),
      ...((yield* servers.hasGivenUp) ? { hasGivenUp: true } : {}),
      ...(running.length === 0 ? {} : { progress: running })
    }
    return report
  })
  const report = Effect.flatMap(newReport, workers.report)
  const reportWhenDue = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    now - last.at >= Duration.toMillis(reportInterval) || stateNow() !== last.state ? report : Effect.void
  )
  yield* Effect.addFinalizer(() => Effect.ignore(workers.leave(workerName)))
  yield* report
  yield* Effect.forkScoped(Effect.repeat(Effect.ignore(workers.forget), Schedule.spaced("1 hour")))
  yield* Effect.forkScoped(Effect.ignore(Effect.repeat(reportWhenDue, Schedule.spaced(loadPace))))
  return Effect.map(newReport, presenceOf)
})

/** For each run of another version, reports once that this worker does not work on it. */
const reportOthers = Effect.fnUntraced(function* (report: WorkerOptions["report"]) {
  const runs = yield* ClusterRuns
  const reported = new Set<string>()
  const look = Effect.gen(function* () {
    for (const { program, runId } of yield* runs.ofOthers(build)) {
      if (reported.has(runId)) continue
      reported.add(runId)
      const other = program === "" ? "an older version" : `version ${program}`
      yield* report(
        `${runId}: was started with ${other} of task-conductor. This worker has version ${build} and leaves it alone.`
      )
    }
  })
  yield* Effect.forkScoped(Effect.ignore(Effect.repeat(look, Schedule.spaced("10 seconds"))))
})

/**
 * How long a stopped worker may take to return its pieces. Pieces that it has not returned by then become free when
 * their leases expire.
 */
const handOverTime = "2 seconds"

const handOver = Effect.fnUntraced(function* (scope: Scope.Closeable) {
  const done = yield* Deferred.make<void>()
  const finish = Deferred.succeed(done, undefined)
  yield* Effect.forkDetach(Effect.andThen(Scope.close(scope, Exit.void), finish))
  yield* Effect.forkDetach(Effect.andThen(Effect.sleep(handOverTime), finish))
  yield* Deferred.await(done)
})

/** Removes old runs now and every hour, as `keepClusterRuns` says. */
const removeRuns = Effect.fnUntraced(function* (kept: RunsKept, report: WorkerOptions["report"]) {
  const runs = yield* ClusterRuns
  const remove = Effect.gen(function* () {
    const { length } = yield* runs.removeOld(kept)
    if (length > 0)
      yield* report(`Removed ${length} old run${length === 1 ? "" : "s"} from the database (keepClusterRuns).`)
  })
  yield* Effect.forkScoped(Effect.repeat(Effect.ignore(remove), Schedule.spaced("1 hour")))
})

/** Works until the database has been unavailable for too long. Calls `ready` before the first work. */
const workOn = Effect.fnUntraced(function* (options: WorkerOptions, { keepClusterRuns, limits, parallel }: Settings) {
  const { ready, report } = options
  const load = makeLoad(parallel)
  const progress = makeCallProgressBoard()
  const broken = yield* Deferred.make<never, DatabaseUnavailable>()
  const servers = yield* makeServers({
    worker: workerName,
    workers: yield* ClusterWorkers,
    waitSeconds: limits.serverWaitSeconds,
    report
  })
  const carryOut = yield* makeCarryOut({
    flags: options.flags,
    report,
    servers,
    slots: yield* makeSlots(parallel, load),
    progress,
    broken: (error) => Effect.asVoid(Deferred.fail(broken, error))
  })
  const presence = yield* reportPresence(parallel, load, progress, servers)
  yield* Effect.catch(keepMetrics({ name: workerName, count: load.count }), report)
  yield* reportOthers(report)
  if (keepClusterRuns !== undefined) yield* removeRuns(keepClusterRuns, report)
  const capacity = Effect.map(servers.leavesWork, (isLeft) =>
    isLeft ? { run: 0, refine: 0, task: 0 } : load.capacity()
  )
  const services = yield* Effect.context<WorkServices>()
  const loop = runWorkLoop({
    worker: { name: workerName, program: build },
    capacity,
    carryOut: (lease) => Effect.provideContext(load.counted(lease, carryOut(lease)), services),
    presence,
    report
  })
  yield* ready
  return yield* Effect.raceFirst(loop, Deferred.await(broken))
}, Effect.scoped)

/** Works on runs until it is interrupted. */
export const runWorker = Effect.fn("runWorker")(
  function* (options: WorkerOptions) {
    const { settings } = yield* readSetup(".", options.flags)
    const scope = yield* Effect.acquireRelease(Scope.make(), handOver)
    const tables = yield* Layer.buildWithScope(
      Layer.provideMerge(layerServices, layerNamedDatabase(options.database)),
      scope
    )
    const fiber = yield* Effect.forkIn(Effect.provideContext(workOn(options, settings), tables), scope)
    return yield* Fiber.join(fiber)
  },
  Effect.scoped,
  (worker, { report }) => withNotices(report)(worker)
)
