/**
 * A worker: carries out runs and tasks that clients put into the database. Part of the composition root.
 */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as RcMap from "effect/RcMap"
import * as Scope from "effect/Scope"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import { takeLock } from "../services/files/Lock.ts"
import { type LockedProject, takeProject } from "../services/journal/ProjectLock.ts"
import type { Configuration, RunsKept } from "../domain/configuration/Configuration.ts"
import { makeValueRedaction, secretValues } from "../domain/text/Redaction.ts"
import type { RunOrder } from "../domain/runs/RunOrder.ts"
import { ClusterRunEnding } from "../domain/journal/JournalRecord.ts"
import {
  type CallProgressBoard,
  ClusterWorkers,
  makeCallProgressBoard,
  reportInterval
} from "../services/cluster/ClusterWorkers.ts"
import { underWay } from "../services/cluster/CallsUnderWay.ts"
import { awaitShare, watchShare, workerName } from "../services/cluster/ClusterEngine.ts"
import { CurrentNotices, makeNotices, type DatabaseUnavailable } from "../services/cluster/ClusterDatabase.ts"
import { cancelledEnding, ClusterRuns, removeOldRuns } from "../services/cluster/ClusterRuns.ts"
import { readRecord } from "../services/journal/JournalLine.ts"
import { makeSecrets, withoutSecrets } from "../services/cluster/WithoutSecrets.ts"
import { giveBack, UnfitWorker, layerTaskWorkflows } from "../services/cluster/ClusterTasks.ts"
import { ModelSlots } from "../services/models/ModelSlots.ts"
import { RunSettings } from "../services/runs/RunSettings.ts"
import { RunRefused, type RunPlacement, RunWorkflow } from "../services/cluster/RunWorkflow.ts"
import { layerWorkerEnvironment } from "./clusterClient.ts"
import { readSetup } from "./setup.ts"
import { build } from "./build.ts"
import { asRefusal, makeWorkerRun, type WorkerRun } from "./workerRun.ts"

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

/** What this worker has in hand. */
interface Load {
  runs: number
  tasks: number
}

interface Work extends Pick<WorkerOptions, "flags" | "report"> {
  /** How many model calls the server of this machine works on at the same time. */
  readonly parallel: number
  readonly load: Load
  readonly progress: CallProgressBoard
}

/** Counts the work as long as it lasts. */
const counted = <A, E, R>(load: Load, what: keyof Load, work: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => void (load[what] += 1)),
    () => work,
    () => Effect.sync(() => void (load[what] -= 1))
  )

/** How long the context of a run is cached while nothing uses it. */
const idleTimeToLive = "10 seconds"

/** How an aborted run ended, by its last event, if that holds a report. */
const lastReport = Effect.fnUntraced(function* (runId: string) {
  const runs = yield* ClusterRuns
  const line = yield* Effect.orDie(runs.last(runId, "event", ""))
  const record = line === undefined ? undefined : readRecord(line)
  return record?.type === "event" && record.event.type === "run.finished" ? record.event.report : undefined
})

const refusedFor = ({ exitCode, what }: RunRefused): ClusterRunEnding => ({ refused: what, exitCode })

/** Removes the secrets of this machine from what is saved of a run. */
const secrets = makeSecrets(makeValueRedaction(secretValues(process.env)))
const { redact } = secrets

/** Records that this worker takes over a run of another worker. */
const recordTakeover = Effect.fnUntraced(function* ({ runId }: RunOrder) {
  const runs = yield* ClusterRuns
  if ((yield* Effect.orDie(runs.last(runId, "event", ""))) === undefined) return
  yield* Effect.orDie(runs.append(runId, { type: "resumed", program: build }, redact))
})

/** Carries out a run with its project locked on this machine. */
const carryOut = Effect.fnUntraced(function* ({ pipeline, setup }: WorkerRun, order: RunOrder) {
  const { project, folders } = setup
  if (order.readOnly !== true) yield* takeSharedProject({ project, locks: folders.locks, runId: order.runId })
  yield* recordTakeover(order)
  return yield* pipeline.run(order)
}, Effect.scoped)

const abortedBy = (defect: unknown) =>
  new RunRefused({
    what: `The run broke off: ${defect instanceof Error ? defect.message : String(defect)}`,
    exitCode: 1
  })

/** The slots of the model server, which all runs of this worker share. */
const makeSlots = (parallel: number) =>
  Effect.map(Layer.build(Layer.provide(ModelSlots.layer, RunSettings.layer({ parallel }))), (context) =>
    Layer.succeed(ModelSlots)(
      ModelSlots.of({
        withSlot: (urgency, call) => Context.get(context, ModelSlots).withSlot(urgency, underWay(call))
      })
    )
  )

/** The workflows of runs and tasks, for the engine in the context. */
const layerWorker = (work: Work) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { load, parallel, report } = work
      const runs = yield* ClusterRuns
      const slots = yield* makeSlots(parallel)
      const contexts: RcMap.RcMap<string, WorkerRun, UnfitWorker | RunRefused> = yield* RcMap.make({
        /* A call that goes on while its task moves away still needs the context. */
        lookup: (runId: string) =>
          makeWorkerRun(runId, { ...work, slots, secrets, keep: Effect.suspend(() => RcMap.get(contexts, runId)) }),
        idleTimeToLive
      })

      const withWorkerRun = <A, E, R>(runId: string, use: (context: WorkerRun) => Effect.Effect<A, E, R>) =>
        Effect.scoped(Effect.flatMap(RcMap.get(contexts, runId), use))

      /** Carries a run to its end and saves the end in the database, also when the run could not start. */
      const conduct = Effect.fnUntraced(function* (order: RunOrder, placement: RunPlacement | undefined) {
        const { runId } = order
        const ended = yield* withWorkerRun(runId, (context) =>
          Effect.andThen(
            report(`${runId}: begins here`),
            Effect.raceFirst(carryOut(context, order), Effect.as(context.cancelled, undefined))
          )
        ).pipe(
          Effect.catchTag("UnknownSkill", ({ message }) => new UnfitWorker({ why: message, exitCode: 2 })),
          Effect.catchTag("UnfitWorker", (unfit) => giveBack(order, placement, unfit, report)),
          Effect.catch((error) => Effect.succeed(refusedFor(asRefusal(error)))),
          Effect.catchDefect((defect) => Effect.map(lastReport(runId), (last) => last ?? refusedFor(abortedBy(defect))))
        )
        if (ended === "given back") return yield* new RunRefused({ what: "Another worker has the run.", exitCode: 1 })
        const found = ended ?? (yield* lastReport(runId)) ?? cancelledEnding
        const ending = yield* withoutSecrets(ClusterRunEnding, found, redact)
        yield* Effect.orDie(runs.end(runId, ending, redact))
        yield* report(`${runId}: ${"refused" in ending ? ending.refused : ending.status}`)
        return "refused" in ending ? yield* new RunRefused({ what: ending.refused, exitCode: ending.exitCode }) : ending
      })

      const tasks = layerTaskWorkflows(
        (runId, { task, verb }, carry) =>
          Effect.andThen(
            report(`${runId}: ${verb} "${task}"`),
            withWorkerRun(runId, (context) =>
              Effect.raceFirst(
                counted(load, "tasks", carry(context)),
                Effect.andThen(context.cancelled, new RunRefused({ what: "The run has ended.", exitCode: 1 }))
              )
            )
          ),
        secrets
      )
      const run = RunWorkflow.toLayer(({ order, placement }) => counted(load, "runs", conduct(order, placement)))
      return Layer.provideMerge(Layer.effectDiscard(awaitShare), Layer.merge(run, tasks))
    })
  )

const isBusy = ({ runs, tasks }: Load): boolean => runs + tasks > 0

/** A part of the work of others moves to a worker that joins. */
const reportMovingWork = Effect.fnUntraced(function* ({ report }: Work) {
  const workers = yield* ClusterWorkers
  const busy = (yield* workers.alive).filter((one) => one.name !== workerName && isBusy(one))
  if (busy.length === 0) return
  yield* report(
    "Other workers are at work. A part of their work moves here, as soon as the calls in it that are under way have ended."
  )
})

/** How often it is looked whether the worker got work or has none any more, in milliseconds. */
const loadPace = 200

/** Says in the database that this worker is there, until the scope closes; that it got work is said without delay. */
const reportPresence = Effect.fnUntraced(function* ({ load, parallel: slots, progress }: Work) {
  const workers = yield* ClusterWorkers
  const begunAt = DateTime.formatIso(yield* DateTime.now)
  let last = { at: 0, isBusy: false }
  const report = Effect.flatMap(Clock.currentTimeMillis, (now) => {
    last = { at: now, isBusy: isBusy(load) }
    const shown = progress.shown(now)
    const calls = shown.length === 0 ? {} : { progress: shown }
    return workers.report({ name: workerName, version: build, begunAt, slots, ...load, ...calls })
  })
  const reportWhenDue = Effect.flatMap(Clock.currentTimeMillis, (now) =>
    now - last.at >= Duration.toMillis(reportInterval) || isBusy(load) !== last.isBusy ? report : Effect.void
  )
  yield* Effect.addFinalizer(() => Effect.ignore(workers.leave(workerName)))
  yield* report
  yield* Effect.forkScoped(Effect.ignore(Effect.repeat(reportWhenDue, Schedule.spaced(loadPace))))
})

/** How long a stopped worker hands over its work. Then the process ends, which frees its locks. */
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

/** Works on runs until it is interrupted. */
export const runWorker = Effect.fn("runWorker")(
  function* ({ database, flags, ready, report }: WorkerOptions) {
    const { settings } = yield* readSetup(".", flags)
    const load: Load = { runs: 0, tasks: 0 }
    const work: Work = { flags, report, load, parallel: settings.parallel, progress: makeCallProgressBoard() }
    const kept = settings.keepClusterRuns
    const removal = Layer.effectDiscard(kept === undefined ? Effect.void : removeRuns(kept, report))
    const presence = Layer.effectDiscard(Effect.andThen(reportMovingWork(work), reportPresence(work)))
    const stuck = yield* Deferred.make<never, DatabaseUnavailable>()
    const watch = Layer.effectDiscard(
      Effect.forkScoped(Effect.catch(watchShare, (error) => Deferred.fail(stuck, error)))
    )
    const scope = yield* Effect.acquireRelease(Scope.make(), handOver)
    const environment = layerWorkerEnvironment(database)
    yield* Layer.buildWithScope(
      Layer.provide(Layer.mergeAll(layerWorker(work), presence, removal, watch), environment),
      scope
    )
    yield* ready
    return yield* Deferred.await(stuck)
  },
  Effect.scoped,
  (worker, { report }) => Effect.provideService(worker, CurrentNotices, makeNotices(report))
)
