/**
 * Builds the services with which a worker carries out a run. They use the model server, the tools and the rules of this
 * machine. Part of the composition root.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Struct from "effect/Struct"
import { Skills } from "../../kit/documents.ts"
import { isThere } from "../../kit/files.ts"
import { fitSetup, WaitsForServer } from "../../kit/models.ts"
import {
  addressKeys,
  BriefingError,
  ChangeApplier,
  type Configuration,
  layerCalls,
  layerModel,
  layerPipeline,
  layerProject,
  layerTasks,
  mergeConfigurations,
  Pipeline,
  readSetup,
  ResumeNotes,
  type RunConditions,
  type RunContext,
  RunSettings,
  type Setup,
  TaskAgent,
  type WorkerContext
} from "../../kit/program.ts"
import { exitCodeOf, Journal, journalVersion, type RunOpened, startOfRun } from "../../kit/runs.ts"
import { ReadTexts, RunAnswers, ToolRegistry, ToolRunner } from "../../kit/tools.ts"
import type { RecordedEvent } from "../../plugin-kit.ts"
import { DatabaseUnavailable } from "./DatabaseErrors.ts"
import { ClusterJournal, layerClusterJournal, layerClusterUsage } from "./ClusterJournal.ts"
import { ClusterRuns } from "./ClusterRuns.ts"
import { ClusterWork } from "./ClusterWork.ts"
import type { CallProgressBoard } from "./ClusterWorkers.ts"
import { UnfitWorker, layerClusterTasks, type TaskContext } from "./ClusterTasks.ts"
import { layerRemoteApprover } from "./RemoteAnswers.ts"
import { RunRefused } from "./RunErrors.ts"
import type { Secrets } from "./WithoutSecrets.ts"

/** The services for leading a run and for its tasks. */
export interface WorkerRun extends TaskContext {
  readonly journal: Journal["Service"] & ClusterJournal["Service"]
  readonly opened: RunOpened
  readonly pipeline: Pipeline["Service"]
  readonly setup: Setup
}

export interface WorkerRunOptions extends Pick<WorkerContext, "slots"> {
  /** The flags that apply to all runs of this worker. */
  readonly flags: Configuration
  readonly secrets: Secrets
  /** Receives messages for the operator of this worker. */
  readonly report: (what: string) => Effect.Effect<void>
  readonly progress: CallProgressBoard
  /** Called if the database was unavailable for too long. */
  readonly broken: (error: DatabaseUnavailable) => Effect.Effect<void>
}

/**
 * The warning in a question about an uncertain call. A worker process that was only suspended has lost its lease, but
 * may still make the call when it continues.
 */
const silentWorker =
  "The worker that began it has not been heard of since. If it was only stopped, it may still do it when it goes on: end it, or look at it, before you answer."

/** The model server of this worker does not answer. */
export class ServerGone extends Data.TaggedError("ServerGone")<{ readonly setup: Setup; readonly why: string }> {
  override get message(): string {
    return this.why
  }
}

/** The tags of errors that the order of the user caused. Such errors have exit code 2. */
const usageErrors: ReadonlySet<string> = new Set(["ConfigurationError", "UnknownSkill", "BriefingError"])

/** The refusal of a run that cannot start. It has the exit code that the same error has without a cluster. */
const refusal = (what: string, tag = "") =>
  new RunRefused({
    what,
    exitCode: usageErrors.has(tag)
      ? 2
      : exitCodeOf(tag === "ModelError" || tag === "ServerGone" ? "unavailable" : "failed")
  })

const unfit = (why: string, tag = "") => new UnfitWorker({ why, exitCode: refusal(why, tag).exitCode })

/**
 * Keeps errors for which the worker has a rule of its own. Any other error becomes an `UnfitWorker`, so that another
 * worker tries the piece.
 */
const asUnfit = (error: { readonly _tag: string; readonly message: string }) =>
  error instanceof RunRefused ||
  error instanceof UnfitWorker ||
  error instanceof ServerGone ||
  error instanceof DatabaseUnavailable
    ? error
    : unfit(error.message, error._tag)

export const asRefusal = (error: { readonly _tag: string; readonly message: string }): RunRefused =>
  error instanceof RunRefused
    ? error
    : error instanceof BriefingError && error.isDenied === true
      ? new RunRefused({ what: error.message, exitCode: exitCodeOf("not_permitted") })
      : refusal(error.message, error._tag)

/** The settings of a run, without those that concern only the machine of its client. */
const commonSettings = (settings: Configuration) => Struct.omit(settings, [...addressKeys, "keepAlive", "parallel"])

const findRun = Effect.fnUntraced(function* (runId: string, flags: Configuration) {
  const standing = yield* (yield* ClusterRuns).standing(runId)
  if (standing === undefined) return yield* refusal(`The run ${runId} is not in the database.`)
  const { allow, opened } = standing.run
  const { project, settings } = opened
  if (opened.version !== journalVersion) {
    return yield* unfit("The records of the run have another version than those of this worker.")
  }
  if (!(yield* isThere(project))) {
    const what = `This worker has no folder ${project}: every worker needs the project at the same path.`
    return yield* unfit(what)
  }
  const configuration = mergeConfigurations(mergeConfigurations(commonSettings(settings), { allow }), flags)
  return { ...standing, setup: yield* readSetup(project, configuration) }
})

const lacksFor =
  (skills: Skills["Service"], registry: ToolRegistry["Service"]): TaskContext["lacks"] =>
  (task, tools) => {
    if (skills.find(task.skill) === undefined) return `This worker has no skill "${task.skill}".`
    const tool = tools.find((name) => registry.find(name) === undefined)
    return tool === undefined ? undefined : `This worker has no tool "${tool}".`
  }

export const makeWorkerRun = (runId: string, { broken, flags, progress, report, secrets, slots }: WorkerRunOptions) =>
  Effect.gen(function* () {
    const { begunAt, run, setup: wanted } = yield* findRun(runId, flags)
    const { setup, windowNote } = yield* Effect.mapError(fitSetup(wanted, {}), (error) =>
      error._tag === "ModelError" && error.reason._tag === "Unreachable"
        ? new ServerGone({ setup: wanted, why: error.message })
        : error
    )
    if (windowNote !== undefined) yield* report(`${runId}: ${windowNote.text}`)
    const { order } = run.opened
    const store = Layer.merge(
      Layer.succeed(ClusterRuns)(yield* ClusterRuns),
      Layer.succeed(ClusterWork)(yield* ClusterWork)
    )
    const saved = Layer.provide(layerClusterJournal({ runId, secrets, broken }), store)
    const worker: WorkerContext = {
      slots,
      doubtNote: silentWorker,
      meter: Layer.provide(layerClusterUsage(runId, begunAt), Layer.merge(saved, store))
    }
    const context = {
      approver: Layer.provide(layerRemoteApprover(runId), store),
      listen: (recorded: RecordedEvent) => Effect.sync(() => progress.take(runId, recorded)),
      approveSteps: run.approveSteps,
      yes: run.yes ?? false
    }
    const layer = layerClusterRun(setup, context, secrets, {
      runId,
      readOnly: order.readOnly ?? false,
      since: startOfRun(runId),
      worker,
      journal: Layer.merge(saved, ResumeNotes.layerNone)
    })
    const services = yield* Layer.build(Layer.merge(Layer.provide(layer, store), saved))
    const { journal, clusterJournal, skills, ...parts } = yield* Effect.provideContext(
      Effect.all({
        pipeline: Pipeline,
        answers: RunAnswers,
        readTexts: ReadTexts,
        taskAgent: TaskAgent,
        applier: ChangeApplier,
        toolRunner: ToolRunner,
        registry: ToolRegistry,
        skills: Skills,
        journal: Journal,
        clusterJournal: ClusterJournal
      }),
      services
    )
    const whole: WorkerRun = {
      ...parts,
      lacks: lacksFor(skills, parts.registry),
      failed: journal.failed,
      journal: { ...journal, ...clusterJournal },
      opened: run.opened,
      setup
    }
    return whole
  }).pipe(Effect.mapError(asUnfit))

/**
 * How many items of a task are queued at once. Other workers work on them too, so this worker's slots do not limit
 * them.
 */
const itemsAtOnce = 64

const layerItems = Layer.effect(
  RunSettings,
  Effect.map(RunSettings, (settings) => ({ ...settings, parallel: itemsAtOnce }))
)

/** The services of a run on this worker: the pipeline for leading the run, and the services for single tasks. */
const layerClusterRun = (
  setup: Setup,
  context: RunContext,
  secrets: Secrets,
  { runId, ...conditions }: RunConditions & { readonly runId: string }
) =>
  layerPipeline.pipe(
    Layer.provide(layerClusterTasks(runId, secrets)),
    Layer.provide(layerItems),
    Layer.provideMerge(layerTasks),
    Layer.provide(Layer.provide(layerCalls(conditions), Layer.succeed(WaitsForServer)(false))),
    Layer.provide(layerModel(setup)),
    Layer.provideMerge(layerProject(setup, context, conditions))
  )
