/**
 * A worker: carries out runs and tasks that clients put into the database. Part of the composition root.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schedule from "effect/Schedule"
import * as Deferred from "effect/Deferred"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as RcMap from "effect/RcMap"
import * as Scope from "effect/Scope"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import { hostname } from "node:os"
import { takeLock } from "../services/files/Lock.ts"
import { type LockedProject, takeProject } from "../services/journal/ProjectLock.ts"
import type { Configuration, RunsKept } from "../domain/configuration/Configuration.ts"
import { makeValueRedaction, secretValues } from "../domain/text/Redaction.ts"
import { TaskFailure } from "../domain/plan/TaskResult.ts"
import { ClusterRunEnding } from "../domain/journal/JournalRecord.ts"
import {
  ClusterWorkers,
  makeCallProgressBoard,
  presenceOf,
  reportInterval,
  type WorkerReport
} from "../services/cluster/ClusterWorkers.ts"
import { CurrentNotices, DatabaseUnavailable, makeNotices } from "../services/cluster/ClusterDatabase.ts"
import { cancelledEnding, ClusterRuns, encodeEnding, removeOldRuns } from "../services/cluster/ClusterRuns.ts"
import { claimedTask, nobodyFits, UnfitWorker } from "../services/cluster/ClusterTasks.ts"
import type { HeldLease } from "../services/cluster/ClusterWork.ts"
import { RunRefused } from "../services/cluster/RemoteAnswers.ts"
import { runWorkLoop, type WorkEnd } from "../services/cluster/WorkLoop.ts"
import { makeSecrets, withoutSecrets } from "../services/cluster/WithoutSecrets.ts"
import type { ModelSlots } from "../services/models/ModelSlots.ts"
import { layerTables } from "./clusterClient.ts"
import { type Load, makeLoad, makeSlots } from "./workerLoad.ts"
import { readSetup } from "./setup.ts"
import { build } from "./build.ts"
import { makeServers, type WorkerServers } from "./workerServers.ts"
import { asRefusal, makeWorkerRun, ServerGone, type WorkerRun } from "./workerRun.ts"

const interval = Schedule.spaced("1 second")

/** Says whether a worker of this machine has a run, also when it is stopped and answers nobody. */
const takeRun = ({ locks, project, runId }: LockedProject) =>
  takeLock(`run ${runId} in ${project}`, { folder: locks, what: `The run ${runId}`, runId })

/** Takes the lock on the project until the scope closes. Fails when another run of this machine has it. */
export const takeSharedProject = Effect.fn("takeSharedProject")(function* (locked: LockedProject) {
  const isHere = yield* takeRun(locked).pipe(
    Effect.as(false),
    Effect.catchTag("LockTaken", () => Effect.succeed(true))
  )
  if (!isHere) return yield* takeProject(locked)
  yield* Effect.retry(takeRun(locked), interval).pipe(
    Effect.andThen(Effect.retry(takeProject(locked), interval)),
    Effect.forkScoped
  )
})

export interface WorkerOptions {
  /** The address of the database; the one that the environment names when absent. */
  readonly database?: string | undefined
  /** The flags for all runs of this worker. */
  readonly flags: Configuration
  /** Receives a line for each run and task that starts or ends here. */
  readonly report: (what: string) => Effect.Effect<void>
  /** Runs when the worker is ready for runs. */
  readonly ready: Effect.Effect<void>
}

/** What the work needs of the machine. */
type Services =
  | Effect.Services<ReturnType<typeof makeWorkerRun>>
  | Exclude<Effect.Services<ReturnType<typeof lead>>, Scope.Scope>
type Limited = Effect.Success<ReturnType<typeof readSetup>>["settings"]

/** The name of this process among workers. */
const workerName = `${hostname()}-${process.pid}`

/** How long the context of a run is cached while nothing uses it. */
const idleTimeToLive = "10 seconds"

/** Removes the secrets of this machine from what is saved of a run. */
const secrets = makeSecrets(makeValueRedaction(secretValues(process.env)))

/** Carries out a run with its project locked on this machine. */
const lead = Effect.fnUntraced(function* ({ journal, opened: { order, settings }, pipeline, setup }: WorkerRun) {
  const { project, folders } = setup
  if (order.readOnly !== true) yield* takeSharedProject({ project, locks: folders.locks, runId: order.runId })
  const runs = yield* ClusterRuns
  if (yield* runs.hasBegun(order.runId)) yield* journal.append({ type: "resumed", program: build, settings })
  return yield* pipeline.run(order)
}, Effect.scoped)

const refusedFor = ({ exitCode, what }: RunRefused): ClusterRunEnding => ({ refused: what, exitCode })

/** What is thrown when the database is away for too long ends the worker; every other defect ends the work. */
const brokenOff = (defect: unknown): Effect.Effect<string, DatabaseUnavailable> =>
  defect instanceof DatabaseUnavailable && defect.isFault !== true
    ? Effect.fail(defect)
    : Effect.succeed(`The run broke off: ${defect instanceof Error ? defect.message : String(defect)}`)

/** What work came to, also when it failed or broke off. */
const endOf = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  work.pipe(
    Effect.catch((error) => Effect.succeed(error)),
    Effect.catchDefect((defect) => Effect.map(brokenOff(defect), (what) => new RunRefused({ what, exitCode: 1 })))
  )

/** Why no worker does the work, this one included. */
const allDeclined = (lease: HeldLease, why: string) => nobodyFits({ ...lease.declined, [workerName]: why })

/** What a context is made for: a run with these settings. */
const placeOf = ({ runId, setup }: HeldLease): string => `${runId} ${setup}`

/** Makes what carries out each piece of work that is claimed. */
const makeCarryOut = Effect.fnUntraced(function* (
  { flags, report }: WorkerOptions,
  load: Load,
  servers: WorkerServers,
  context: {
    readonly slots: Layer.Layer<ModelSlots>
    readonly progress: ReturnType<typeof makeCallProgressBoard>
    readonly broken: (error: DatabaseUnavailable) => Effect.Effect<void>
  }
) {
  const contexts = yield* RcMap.make({
    lookup: (place: string) =>
      makeWorkerRun(place.slice(0, place.indexOf(" ")), { ...context, flags, report, secrets }),
    idleTimeToLive
  })

  /** Uses the context of a run; what happens in it is written before this returns. */
  const withWorkerRun = <A, E, R>(lease: HeldLease, use: (context: WorkerRun) => Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const made = yield* RcMap.get(contexts, placeOf(lease))
      yield* made.journal.join(lease)
      return yield* use(made).pipe(
        Effect.onExit((exit) =>
          Exit.isFailure(exit) && Cause.hasInterrupts(exit.cause)
            ? Effect.asVoid(Effect.timeoutOption(made.journal.flush, "1 second"))
            : made.journal.flush
        )
      )
    }).pipe(Effect.scoped)

  /** True when the work is to be done where, or when, a model server answers. */
  const isLeft = Effect.fnUntraced(function* (lease: HeldLease, { setup, why }: ServerGone) {
    yield* servers.leave(setup, why)
    if (!(yield* servers.leavesWork)) return false
    yield* RcMap.invalidate(contexts, placeOf(lease))
    yield* report(`${lease.runId}: given back. ${why}`)
    return true
  })

  /** Gives work back that this worker cannot do; nothing when no worker that is there can. */
  const decline = Effect.fnUntraced(function* (lease: HeldLease, why: string) {
    if (Object.hasOwn(lease.declined, workerName)) return undefined
    yield* report(`${lease.runId}: given back. ${why}`)
    return { _tag: "GivenBack", why } as const
  })

  /** Carries a run to its end, also when it could not start. */
  const conduct = Effect.fnUntraced(function* (
    lease: HeldLease
  ): Effect.fn.Return<WorkEnd, DatabaseUnavailable, Services> {
    const { runId } = lease
    const ended = yield* withWorkerRun(lease, (made) =>
      Effect.andThen(
        report(`${runId}: begins here`),
        Effect.raceFirst(lead(made), Effect.as(Deferred.await(lease.cancelled), undefined))
      ).pipe(
        Effect.tap((report) =>
          report?.status === "unavailable" ? new ServerGone({ setup: made.setup, why: report.message }) : Effect.void
        )
      )
    ).pipe(
      Effect.catchTag("UnknownSkill", ({ message }) => new UnfitWorker({ why: message, exitCode: 2 })),
      endOf
    )
    if (ended instanceof DatabaseUnavailable) return yield* ended
    if (ended instanceof ServerGone && (yield* isLeft(lease, ended))) return { _tag: "GivenBack" }
    if (ended instanceof UnfitWorker) {
      const back = yield* decline(lease, ended.why)
      if (back !== undefined) return back
    }
    const isBroken = ended === undefined || ended instanceof RunRefused || ended instanceof ServerGone
    const last = isBroken ? lease.ended?.report : undefined
    const found: ClusterRunEnding =
      last ??
      (ended === undefined
        ? cancelledEnding
        : ended instanceof UnfitWorker
          ? { refused: allDeclined(lease, ended.why), exitCode: ended.exitCode }
          : "status" in ended
            ? ended
            : refusedFor(asRefusal(ended)))
    const ending = yield* withoutSecrets(ClusterRunEnding, found, secrets.redact)
    yield* report(`${runId}: ${"refused" in ending ? ending.refused : ending.status}`)
    return { _tag: "RunEnded", ending: JSON.stringify(secrets.redact(encodeEnding(ending))) }
  })

  /** Carries out a phase of a task, also when it cannot be begun. */
  const carryOutTask = Effect.fnUntraced(function* (
    lease: HeldLease
  ): Effect.fn.Return<WorkEnd, DatabaseUnavailable, Services> {
    const { runId } = lease
    const { carryOut, failedWith, task, verb } = yield* claimedTask(runId, lease, secrets)
    let isSaved = false
    const work = Effect.fnUntraced(function* (made: WorkerRun) {
      const ended = yield* carryOut(made)
      const { outcome, result } = ended
      if (isUnreachable(outcome) && (yield* isLeft(lease, new ServerGone({ setup: made.setup, why: outcome.reason }))))
        return { _tag: "GivenBack" } as const
      isSaved = yield* made.journal.finish(lease, result)
      return ended
    })
    const end = yield* endOf(Effect.andThen(report(`${runId}: ${verb} "${task.name}"`), withWorkerRun(lease, work)))
    if (end instanceof DatabaseUnavailable) return yield* end
    if (("_tag" in end && end._tag === "GivenBack") || (end instanceof ServerGone && (yield* isLeft(lease, end))))
      return { _tag: "GivenBack" }
    if (end instanceof UnfitWorker) {
      const back = yield* decline(lease, end.why)
      return back ?? { _tag: "Finished", result: yield* failedWith(allDeclined(lease, end.why)) }
    }
    if (isSaved) return { _tag: "Finished" }
    return { _tag: "Finished", result: "result" in end ? end.result : yield* failedWith(end.message) }
  })

  return (lease: HeldLease) => load.counted(lease, lease.kind === "run" ? conduct(lease) : carryOutTask(lease))
})

/** True for a task that ended only because the model server was gone; what it had done is in the journal. */
const isUnreachable = (outcome: unknown): outcome is TaskFailure =>
  outcome instanceof TaskFailure && outcome.cause?._tag === "ModelFailed" && outcome.cause.reason === "Unreachable"

/** How often it is looked whether the worker got work or has none any more, in milliseconds. */
const loadPace = 500

/**
 * Says in the database that this worker is there, until the scope closes; that it got work, or has none any more, is said within half a second.
 * Returns what is said with the renewal of its leases.
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
  const stateSaid = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    last = { at: now, state: stateNow() }
    const shown = progress.shown(now)
    const serverGone = servers.gone()
    const said: WorkerReport = {
      name: workerName,
      version: build,
      begunAt,
      slots,
      ...load.count(),
      ...(serverGone === undefined ? {} : { serverGone }),
      ...((yield* servers.hasGivenUp) ? { hasGivenUp: true } : {}),
      ...(shown.length === 0 ? {} : { progress: shown })
    }
    return said
  })
  const report = Effect.flatMap(stateSaid, workers.report)
  const reportWhenDue = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    now - last.at >= Duration.toMillis(reportInterval) || stateNow() !== last.state ? report : Effect.void
  )
  yield* Effect.addFinalizer(() => Effect.ignore(workers.leave(workerName)))
  yield* report
  yield* Effect.forkScoped(Effect.ignore(Effect.repeat(reportWhenDue, Schedule.spaced(loadPace))))
  return Effect.map(stateSaid, presenceOf)
})

/** Says once of each run of another version that this worker leaves it alone. */
const reportOthers = Effect.fnUntraced(function* (report: WorkerOptions["report"]) {
  const runs = yield* ClusterRuns
  const told = new Set<string>()
  const look = Effect.gen(function* () {
    for (const { program, runId } of yield* runs.ofOthers(build)) {
      if (told.has(runId)) continue
      told.add(runId)
      const other = program === "" ? "an older version" : `version ${program}`
      yield* report(
        `${runId}: was started with ${other} of task-conductor. This worker has version ${build} and leaves it alone.`
      )
    }
  })
  yield* Effect.forkScoped(Effect.ignore(Effect.repeat(look, Schedule.spaced("10 seconds"))))
})

/** How long a stopped worker hands over its work. Then the process ends, and its leases run out. */
const handOverTime = "2 seconds"

const handOver = Effect.fnUntraced(function* (scope: Scope.Closeable) {
  const done = yield* Deferred.make<void>()
  const finish = Deferred.succeed(done, undefined)
  yield* Effect.forkDetach(Effect.andThen(Scope.close(scope, Exit.void), finish))
  yield* Effect.forkDetach(Effect.andThen(Effect.sleep(handOverTime), finish))
  yield* Deferred.await(done)
})

/** Removes runs that are not kept any longer, now and every hour. */
const removeRuns = Effect.fnUntraced(function* (kept: RunsKept, report: WorkerOptions["report"]) {
  const remove = Effect.gen(function* () {
    const { length } = yield* removeOldRuns(kept)
    if (length > 0)
      yield* report(`Removed ${length} old run${length === 1 ? "" : "s"} from the database (keepClusterRuns).`)
  })
  yield* Effect.forkScoped(Effect.repeat(Effect.ignore(remove), Schedule.spaced("1 hour")))
})

/** Works until the database has been away for too long; says when it is ready. */
const workOn = Effect.fnUntraced(function* (options: WorkerOptions, { keepClusterRuns, limits, parallel }: Limited) {
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
  const carryOut = yield* makeCarryOut(options, load, servers, {
    slots: yield* makeSlots(parallel, load),
    progress,
    broken: (error) => Effect.asVoid(Deferred.fail(broken, error))
  })
  const presence = yield* reportPresence(parallel, load, progress, servers)
  yield* reportOthers(report)
  if (keepClusterRuns !== undefined) yield* removeRuns(keepClusterRuns, report)
  const room = Effect.map(servers.leavesWork, (isLeft) => (isLeft ? { run: 0, refine: 0, task: 0 } : load.room()))
  const services = yield* Effect.context<Services>()
  const loop = runWorkLoop({
    worker: { name: workerName, program: build },
    room,
    carryOut: (lease) => Effect.provideContext(carryOut(lease), services),
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
    const tables = yield* Layer.buildWithScope(layerTables(options.database), scope)
    const fiber = yield* Effect.forkIn(Effect.provideContext(workOn(options, settings), tables), scope)
    return yield* Fiber.join(fiber)
  },
  Effect.scoped,
  (worker, { report }) => Effect.provideService(worker, CurrentNotices, makeNotices(report))
)
