/**
 * Carries out claimed pieces: leads runs, and works on phases of tasks. Returns pieces that this worker cannot do. Part
 * of the composition root.
 */
import * as Cause from "effect/Cause"
import { TaskFailure } from "../../kit/documents.ts"
import { type LockedProject, takeLock, takeProject } from "../../kit/files.ts"
import { build, knownSecrets } from "../../kit/program.ts"
import { ClusterRunEnding, type RunReport } from "../../kit/runs.ts"
import { makeValueRedaction } from "../../kit/text.ts"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as RcMap from "effect/RcMap"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { randomBytes } from "node:crypto"
import { hostname } from "node:os"
import { DatabaseUnavailable } from "./DatabaseErrors.ts"
import { cancelledEnding, ClusterRuns, encodeEnding } from "./ClusterRuns.ts"
import { claimedTask, nobodyFits, UnfitWorker } from "./ClusterTasks.ts"
import type { HeldLease } from "./ClusterWork.ts"
import { RunRefused } from "./RunErrors.ts"
import type { WorkEnd } from "./WorkLoop.ts"
import { makeSecrets, withoutSecrets } from "./WithoutSecrets.ts"
import { asRefusal, makeWorkerRun, ServerGone, type WorkerRun, type WorkerRunOptions } from "./workerRun.ts"
import type { WorkerServers } from "./workerServers.ts"

/** The services that this work needs from the machine. */
export type WorkServices =
  | Effect.Services<ReturnType<typeof makeWorkerRun>>
  | Exclude<Effect.Services<ReturnType<typeof lead>>, Scope.Scope>

/** A unique name for this worker. It has a random part, because containers may share a host name and process id. */
export const workerName = `${hostname()}-${process.pid}-${randomBytes(3).toString("hex")}`

/** How long the services of a run stay in memory after their last use. */
const idleTimeToLive = "10 seconds"

const secrets = makeSecrets(makeValueRedaction(knownSecrets))

/** The pause between attempts to lock a run while another worker on this machine holds the lock. */
const lockPace = Schedule.spaced("1 second")

/** Locks a run on this machine. A suspended worker process still holds its lock. */
const takeRun = ({ locks, project, runId }: LockedProject) =>
  takeLock(`run ${runId} in ${project}`, { folder: locks, what: `The run ${runId}`, runId })

/** Locks the project until the scope closes. Fails if another run on this machine holds the lock. */
export const takeSharedProject = Effect.fn("takeSharedProject")(function* (locked: LockedProject) {
  const isHere = yield* takeRun(locked).pipe(
    Effect.as(false),
    Effect.catchTag("LockTaken", () => Effect.succeed(true))
  )
  if (!isHere) return yield* takeProject(locked)
  yield* Effect.retry(takeRun(locked), lockPace).pipe(
    Effect.andThen(Effect.retry(takeProject(locked), lockPace)),
    Effect.forkScoped
  )
})

/** Leads a run, and locks its project on this machine meanwhile. */
const lead = Effect.fnUntraced(function* ({ journal, opened: { order, settings }, pipeline, setup }: WorkerRun) {
  const { project, folders } = setup
  if (order.readOnly !== true) yield* takeSharedProject({ project, locks: folders.locks, runId: order.runId })
  const runs = yield* ClusterRuns
  if (yield* runs.hasBegun(order.runId)) yield* journal.append({ type: "resumed", program: build, settings })
  return yield* pipeline.run(order)
}, Effect.scoped)

const refusedFor = ({ exitCode, what }: RunRefused): ClusterRunEnding => ({ refused: what, exitCode })

const brokenOff = (error: unknown) =>
  new RunRefused({ what: `The run broke off: ${error instanceof Error ? error.message : String(error)}`, exitCode: 1 })

/**
 * Returns the result or the error of work as a value. Only an unavailable database stays an error, and ends the worker.
 */
const endOf = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  work.pipe(
    Effect.catch((error): Effect.Effect<Exclude<E, DatabaseUnavailable>, DatabaseUnavailable> =>
      error instanceof DatabaseUnavailable
        ? Effect.fail(error)
        : Effect.succeed(error as Exclude<E, DatabaseUnavailable>)
    ),
    Effect.catchDefect((defect) =>
      defect instanceof DatabaseUnavailable ? Effect.fail(defect) : Effect.succeed(brokenOff(defect))
    ),
    Effect.catch((error) => (error.isFault === true ? Effect.succeed(brokenOff(error)) : Effect.fail(error)))
  )

/** Why no worker, including this one, can do the piece. */
const allDeclined = (lease: HeldLease, why: string) => nobodyFits({ ...lease.declined, [workerName]: why })

/** The key of a run's services in memory. New settings give a new key. */
const placeOf = ({ runId, setup }: HeldLease): string => `${runId} ${setup}`

interface WorkbenchOptions extends Omit<WorkerRunOptions, "secrets"> {
  readonly servers: WorkerServers
}

const makeWorkbench = Effect.fnUntraced(function* ({ servers, ...options }: WorkbenchOptions) {
  const { report } = options
  const contexts = yield* RcMap.make({
    lookup: (place: string) => makeWorkerRun(place.slice(0, place.indexOf(" ")), { ...options, secrets }),
    idleTimeToLive
  })

  /** Uses the services of a run. At the end, waits until the records of the run are written. */
  const withRun = <A, E, R>(lease: HeldLease, use: (run: WorkerRun) => Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const run = yield* RcMap.get(contexts, placeOf(lease))
      yield* run.journal.join(lease)
      return yield* use(run).pipe(
        Effect.onExit((exit) =>
          Exit.isFailure(exit) && Cause.hasInterrupts(exit.cause)
            ? Effect.asVoid(Effect.timeoutOption(run.journal.flush, "1 second"))
            : run.journal.flush
        )
      )
    }).pipe(Effect.scoped)

  /** Notes that a model server is away. Returns true if the piece must wait in its queue. */
  const isLeft = Effect.fnUntraced(function* (lease: HeldLease, { setup, why }: ServerGone) {
    yield* servers.leave(setup, why)
    if (!(yield* servers.leavesWork)) return false
    yield* RcMap.invalidate(contexts, placeOf(lease))
    yield* report(`${lease.runId}: given back. ${why}`)
    return true
  })

  /**
   * Gives back a piece that this worker cannot do. Undefined if this worker has declined the piece before. It gets such
   * a piece again only after all live workers have declined it.
   */
  const decline = Effect.fnUntraced(function* (lease: HeldLease, why: string) {
    if (Object.hasOwn(lease.declined, workerName)) return undefined
    yield* report(`${lease.runId}: given back. ${why}`)
    return { _tag: "GivenBack", why } as const
  })

  return { report, withRun, isLeft, decline }
})

type Workbench = Effect.Success<ReturnType<typeof makeWorkbench>>

/** How a run ended, as its clients see it. `ended` is undefined for a cancelled run. */
const endingOf = (
  lease: HeldLease,
  ended: RunReport | { readonly _tag: string; readonly message: string } | undefined
): ClusterRunEnding => {
  const isBroken = ended === undefined || ended instanceof RunRefused || ended instanceof ServerGone
  const last = isBroken ? lease.ended?.report : undefined
  if (last !== undefined) return last
  if (ended === undefined) return cancelledEnding
  if (ended instanceof UnfitWorker) return { refused: allDeclined(lease, ended.why), exitCode: ended.exitCode }
  return "_tag" in ended ? refusedFor(asRefusal(ended)) : ended
}

/** Leads a run to its end. If the run cannot start, the error becomes the ending of the run. */
const conduct = Effect.fnUntraced(function* (
  { decline, isLeft, report, withRun }: Workbench,
  lease: HeldLease
): Effect.fn.Return<WorkEnd, DatabaseUnavailable, WorkServices> {
  const { runId } = lease
  const ended = yield* withRun(lease, (run) =>
    Effect.andThen(
      report(`${runId}: begins here`),
      Effect.raceFirst(lead(run), Effect.as(Deferred.await(lease.cancelled), undefined))
    ).pipe(
      Effect.tap((report) =>
        report?.status === "unavailable" ? new ServerGone({ setup: run.setup, why: report.message }) : Effect.void
      )
    )
  ).pipe(
    Effect.catchTag("UnknownSkill", ({ message }) => new UnfitWorker({ why: message, exitCode: 2 })),
    endOf
  )
  if (ended instanceof ServerGone && (yield* isLeft(lease, ended))) return { _tag: "GivenBack" }
  if (ended instanceof UnfitWorker) {
    const back = yield* decline(lease, ended.why)
    if (back !== undefined) return back
  }
  const ending = yield* withoutSecrets(ClusterRunEnding, endingOf(lease, ended), secrets.redact)
  yield* report(`${runId}: ${"refused" in ending ? ending.refused : ending.status}`)
  return { _tag: "RunEnded", ending: JSON.stringify(secrets.redact(encodeEnding(ending))) }
})

/** True for a task that failed only because the model server was away. The journal has kept its progress. */
const isUnreachable = (outcome: unknown): outcome is TaskFailure =>
  outcome instanceof TaskFailure && outcome.cause?._tag === "ModelFailed" && outcome.cause.reason === "Unreachable"

/** Carries out a phase of a task. If the phase cannot start, its result is a failure. */
const carryOutTask = Effect.fnUntraced(function* (
  { decline, isLeft, report, withRun }: Workbench,
  lease: HeldLease
): Effect.fn.Return<WorkEnd, DatabaseUnavailable, WorkServices> {
  const { runId } = lease
  const { carryOut, failedWith, task, verb } = yield* claimedTask(runId, lease, secrets)
  let isSaved = false
  const work = Effect.fnUntraced(function* (run: WorkerRun) {
    const ended = yield* carryOut(run)
    const { outcome, result } = ended
    if (isUnreachable(outcome) && (yield* isLeft(lease, new ServerGone({ setup: run.setup, why: outcome.reason }))))
      return { _tag: "GivenBack" } as const
    isSaved = yield* run.journal.finish(lease, result)
    return ended
  })
  const end = yield* endOf(Effect.andThen(report(`${runId}: ${verb} "${task.name}"`), withRun(lease, work)))
  if (("_tag" in end && end._tag === "GivenBack") || (end instanceof ServerGone && (yield* isLeft(lease, end))))
    return { _tag: "GivenBack" }
  if (end instanceof UnfitWorker) {
    const back = yield* decline(lease, end.why)
    return back ?? { _tag: "Finished", result: yield* failedWith(allDeclined(lease, end.why)) }
  }
  if (isSaved) return { _tag: "Finished" }
  return { _tag: "Finished", result: "result" in end ? end.result : yield* failedWith(end.message) }
})

export const makeCarryOut = Effect.fnUntraced(function* (options: WorkbenchOptions) {
  const bench = yield* makeWorkbench(options)
  return (lease: HeldLease) => (lease.kind === "run" ? conduct(bench, lease) : carryOutTask(bench, lease))
})
