/**
 * The context in which a worker carries out a run: its layers, with the model server, the tools and the rules of this
 * machine. Part of the composition root.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import * as Struct from "effect/Struct"
import { WorkflowEngine } from "effect/workflow/WorkflowEngine"
import { fitWindow, layerModel } from "./modelWindow.ts"
import { addressKeys, type Configuration, mergeConfigurations } from "../domain/configuration/Configuration.ts"
import { journalVersion } from "../domain/journal/JournalRecord.ts"
import { exitCodeOf } from "../domain/runs/RunReport.ts"
import { type CallProgressBoard, ClusterWorkers } from "../services/cluster/ClusterWorkers.ts"
import { CallsUnderWay } from "../services/cluster/CallsUnderWay.ts"
import {
  type Finish,
  layerClusterActivities,
  layerClusterJournal,
  layerClusterUsage
} from "../services/cluster/ClusterJournal.ts"
import { ClusterRuns } from "../services/cluster/ClusterRuns.ts"
import { UnfitWorker, layerClusterTasks, type TaskContext } from "../services/cluster/ClusterTasks.ts"
import { layerRemoteApprover, makeRunAnswers, RunRefused } from "../services/cluster/RunWorkflow.ts"
import { ResumeNotes } from "../services/pipeline/ResumeNotes.ts"
import { Gate, ProjectWriteLock } from "../services/permissions/Gate.ts"
import { Journal } from "../services/journal/Journal.ts"
import { BriefingError } from "../services/pipeline/Briefer.ts"
import { Pipeline } from "../services/pipeline/Pipeline.ts"
import { TaskLoop } from "../services/pipeline/TaskLoop.ts"
import { TaskRunner } from "../services/pipeline/TaskRunner.ts"
import { isThere } from "../services/files/FileLook.ts"
import { Skills } from "../services/skills/Skills.ts"
import { ToolRegistry } from "../services/tools/ToolRegistry.ts"
import { ToolRunner } from "../services/tools/ToolRunner.ts"
import { readSetup, type Setup } from "./setup.ts"
import { build } from "./build.ts"
import { isOtherBuild } from "../domain/runs/OtherBuild.ts"
import { Activities } from "../services/journal/Activities.ts"
import { startOfRun } from "../services/runs/RunId.ts"
import { layerProject } from "./projectLayers.ts"
import type { RunContext, WorkerContext } from "./RunContext.ts"
import { layerCalls, layerPipeline, layerTasks } from "./runLayers.ts"

/** The services for the tasks of a run, and for the run as a whole. */
export interface WorkerRun extends TaskContext {
  /** Completes when somebody cancels the run, and when the run has ended. */
  readonly cancelled: Effect.Effect<void>
  readonly pipeline: Pipeline["Service"]
  readonly setup: Setup
}

interface WorkerRunOptions extends Pick<WorkerContext, "slots" | "secrets"> {
  /** The flags for all runs of this worker. */
  readonly flags: Configuration
  /** Receives what the person at this machine should know. */
  readonly report: (what: string) => Effect.Effect<void>
  readonly progress: CallProgressBoard
  /** Keeps the context that is made for as long as a scope is open. */
  readonly keep: Effect.Effect<unknown, { readonly message: string }, Scope.Scope>
}

/** Errors in what the person gave; every other error is a failure. */
const usageErrors: ReadonlySet<string> = new Set(["ConfigurationError", "UnknownSkill", "BriefingError"])

/** Why a run cannot be carried out here, with the exit code that it has on one machine. */
const refusal = (what: string, tag = "") =>
  new RunRefused({
    what,
    exitCode: usageErrors.has(tag) ? 2 : exitCodeOf(tag === "ModelError" ? "unavailable" : "failed")
  })

/** What this worker lacks for a run. */
const unfit = (why: string, tag = "") => new UnfitWorker({ why, exitCode: refusal(why, tag).exitCode })

/** A worker that cannot build what a run needs gives it back; without the database, or the run, nobody can. */
const asUnfit = (error: { readonly _tag: string; readonly message: string }): RunRefused | UnfitWorker =>
  error instanceof RunRefused || error instanceof UnfitWorker
    ? error
    : error._tag === "DatabaseUnavailable"
      ? refusal(error.message)
      : unfit(error.message, error._tag)

export const asRefusal = (error: { readonly _tag: string; readonly message: string }): RunRefused =>
  error instanceof RunRefused
    ? error
    : error instanceof BriefingError && error.isDenied === true
      ? new RunRefused({ what: error.message, exitCode: exitCodeOf("not_permitted") })
      : refusal(error.message, error._tag)

/** The settings of a run without those that belong to the machine of its client. */
const commonSettings = (given: Configuration) => Struct.omit(given, [...addressKeys, "keepAlive", "parallel"])

/** The run and its project, as this machine sees them. */
const findRun = Effect.fnUntraced(function* (runId: string, flags: Configuration) {
  const standing = yield* (yield* ClusterRuns).standing(runId)
  if (standing === undefined) return yield* refusal(`The run ${runId} is not in the database.`)
  const { allow, opened } = standing.run
  const { project, settings } = opened
  if (opened.version !== journalVersion || isOtherBuild(opened.program, build)) {
    const what = `The run was started with version ${opened.program} of task-conductor, and this worker has version ${build}.`
    return yield* unfit(what)
  }
  if (!(yield* isThere(project))) {
    const what = `This worker has no folder ${project}: every worker needs the project at the same path.`
    return yield* unfit(what)
  }
  const given = mergeConfigurations(mergeConfigurations(commonSettings(settings), { allow }), flags)
  return { ...standing, setup: yield* readSetup(project, given) }
})

/** Checks every second whether the run was cancelled or has ended, as long as its context is open. */
const watchCancelled = Effect.fnUntraced(function* (runId: string) {
  const runs = yield* ClusterRuns
  const cancelled = yield* Deferred.make<void>()
  const isCancelled = Effect.map(
    Effect.orElseSucceed(runs.standing(runId), () => undefined),
    (standing) => standing?.isCancelled === true || standing?.ending !== undefined
  )
  yield* isCancelled.pipe(
    Effect.repeat({ until: (is) => is, schedule: Schedule.spaced("1 second") }),
    Effect.andThen(Deferred.succeed(cancelled, undefined)),
    Effect.forkScoped
  )
  return cancelled
})

/** Looks for the skill of a task, and the tools that its calls name. */
const lacksFor =
  (skills: Skills["Service"], registry: ToolRegistry["Service"]): TaskContext["lacks"] =>
  (task, tools) => {
    if (skills.find(task.skill) === undefined) return `This worker has no skill "${task.skill}".`
    const tool = tools.find((name) => registry.find(name) === undefined)
    return tool === undefined ? undefined : `This worker has no tool "${tool}".`
  }

/** Builds the context of a run. */
export const makeWorkerRun = (runId: string, { flags, keep, progress, report, secrets, slots }: WorkerRunOptions) =>
  Effect.gen(function* () {
    const { begunAt, run, setup: found } = yield* findRun(runId, flags)
    const { note, setup } = yield* fitWindow(found, {})
    if (note !== undefined) yield* report(`${runId}: ${note}`)
    const { order } = run.opened
    const answers = yield* makeRunAnswers(yield* WorkflowEngine, order)
    const journal = layerClusterJournal(runId, secrets)
    const runs = Layer.succeed(ClusterRuns)(yield* ClusterRuns)
    const workers = Layer.succeed(ClusterWorkers)(yield* ClusterWorkers)
    const cancelled = yield* watchCancelled(runId)
    const calls = yield* CallsUnderWay
    const finish: Finish = (call) =>
      calls.finish(
        Effect.scopedWith((scope) => Effect.andThen(Effect.orDie(Scope.provide(keep, scope)), call)),
        Deferred.isDone(cancelled)
      )
    const context = yield* Layer.build(
      layerClusterRun(setup, runId, {
        listen: (recorded) => Effect.sync(() => progress.take(runId, recorded)),
        approveSteps: run.approveSteps,
        yes: run.yes ?? false,
        readOnly: order.readOnly ?? false,
        worker: {
          answers: layerRemoteApprover(answers),
          slots,
          secrets,
          finish,
          meter: Layer.provide(layerClusterUsage(runId, begunAt), runs)
        },
        journal: Layer.merge(Layer.provide(journal, runs), ResumeNotes.layerNone)
      }).pipe(Layer.provide(workers))
    )
    const { failed, skills, ...services } = yield* Effect.provideContext(
      Effect.all({
        pipeline: Pipeline,
        gate: Gate,
        loop: TaskLoop,
        taskRunner: TaskRunner,
        toolRunner: ToolRunner,
        registry: ToolRegistry,
        skills: Skills,
        failed: Effect.map(Journal, (journal) => journal.failed)
      }),
      context
    )
    const lacks = lacksFor(skills, services.registry)
    const made: WorkerRun = { ...services, lacks, failed, cancelled: Deferred.await(cancelled), setup }
    return made
  }).pipe(Effect.mapError(asUnfit))

/**
 * What a worker needs for a cluster run: the pipeline over tasks that the workers share, and what it needs to work on
 * one here.
 */
const layerClusterRun = (setup: Setup, runId: string, context: RunContext & { readonly worker: WorkerContext }) =>
  layerPipeline.pipe(
    Layer.provide(layerClusterTasks(runId, context.worker.secrets)),
    Layer.provideMerge(layerTasks),
    Layer.provide(
      layerCalls(
        context,
        Layer.provide(layerClusterActivities(context.worker.secrets.redact, context.worker.finish), Activities.layer)
      )
    ),
    Layer.provide(context.model ?? layerModel(setup)),
    Layer.provideMerge(layerProject(setup, { ...context, since: startOfRun(runId) }, ProjectWriteLock.layerHeld))
  )
