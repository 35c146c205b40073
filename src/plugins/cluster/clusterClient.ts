/**
 * What clients do with cluster runs: they start, resume, fork, cancel and follow them. Part of the composition root.
 */
import * as Effect from "effect/Effect"
import { isFolder, realPath } from "../../kit/files.ts"
import {
  build,
  type Configuration,
  ConfigurationError,
  knownSecrets,
  mergeConfigurations,
  type NewRun,
  readSetup,
  type RunContext,
  type SavedRun,
  savedSettings,
  type Setup
} from "../../kit/program.ts"
import {
  type ClusterRun,
  forkRecords,
  type JournalRecord,
  journalVersion,
  makeRunId,
  readRun,
  runOf,
  RunOrder,
  RunStore,
  TaskNotFound
} from "../../kit/runs.ts"
import { makeValueRedaction } from "../../kit/text.ts"
import { type Approver, environmentVariable, type RecordedEvent } from "../../plugin-kit.ts"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Stdio from "effect/Stdio"
import type * as Terminal from "effect/Terminal"
import { DatabaseUnnamed, databaseVariable } from "./DatabaseErrors.ts"
import { layerDatabase } from "./ClusterDatabase.ts"
import { ClusterRuns, layerClusterStore } from "./ClusterRuns.ts"
import { ClusterWorkers, watchWorkers } from "./ClusterWorkers.ts"
import { followRun } from "./RunFollower.ts"
import { RunRefused } from "./RunErrors.ts"
import { layerBossWork } from "./BossWork.ts"
import { WorkQueues } from "./WorkQueues.ts"

const redact = makeValueRedaction(knownSecrets)
const encodeOrder = Schema.encodeEffect(Schema.toCodecJson(RunOrder))
const decodeOrder = Schema.decodeUnknownEffect(Schema.toCodecJson(RunOrder))

/** The database at this address. If the address is empty, the environment variable names the database. */
export const layerNamedDatabase = (address = "") =>
  Layer.unwrap(
    Effect.gen(function* () {
      const url = address === "" ? yield* environmentVariable(databaseVariable) : address
      return url === undefined ? yield* new DatabaseUnnamed() : layerDatabase(Redacted.make(url))
    })
  )

export const layerServices = Layer.mergeAll(ClusterRuns.layer, ClusterWorkers.layer, layerBossWork).pipe(
  Layer.provide(WorkQueues.layer)
)

export const layerClusterRuns = (address?: string) =>
  layerClusterStore.pipe(Layer.provideMerge(layerServices), Layer.provide(layerNamedDatabase(address)))

export const layerClient = (
  approver: Layer.Layer<Approver, never, Stdio.Stdio | Terminal.Terminal>,
  database?: string
) => Layer.merge(layerClusterRuns(database), approver)

interface Approvals extends Pick<RunContext, "approveSteps" | "yes"> {
  /** Runs of a higher priority come first. If absent, the priority is 0. */
  readonly priority?: number | undefined
}

/** A run as workers need it. `allow` and the approvals hold for this run only. */
const clusterRunOf = Effect.fnUntraced(function* (
  opened: Omit<ClusterRun["opened"], "program" | "project" | "settings">,
  setup: Setup,
  allow: Configuration["allow"] = [],
  { approveSteps, priority = 0, yes = false }: Approvals
) {
  const project = (yield* realPath(setup.project)) ?? setup.project
  const whole: ClusterRun["opened"] = { ...opened, program: build, project, settings: savedSettings(setup) }
  const more = { ...(yes ? { yes } : {}), ...(priority === 0 ? {} : { priority }) }
  return { opened: whole, allow, approveSteps, ...more } satisfies ClusterRun
})

/**
 * Reads the configuration of a run from the files of this machine. The workers carry out the run with this
 * configuration.
 */
export const prepareRun = Effect.fn("prepareRun")(function* (
  { configuration, order, project }: Omit<NewRun, "keep">,
  approvals: Approvals
) {
  const setup = yield* readSetup(project, configuration)
  if (setup.models.chosenBy === "nobody") {
    const what = 'no model is chosen. Name one that the servers of the workers have: --model NAME, or "model".'
    return yield* new ConfigurationError({ source: "A cluster run", problems: [{ what }] })
  }
  /* The database must store no secrets. */
  const withoutSecrets = yield* Effect.orDie(decodeOrder(redact(yield* Effect.orDie(encodeOrder(order)))))
  const opened = { type: "opened", version: journalVersion, order: withoutSecrets } as const
  return yield* clusterRunOf(opened, setup, configuration.allow, approvals)
})

/** Saves a run for the workers. `begin` contains the records that a fork takes over from the earlier run. */
export const submitRun = Effect.fn("submitRun")(function* (run: ClusterRun, begin: ReadonlyArray<JournalRecord> = []) {
  const runs = yield* ClusterRuns
  yield* runs.submit(run, [run.opened, ...begin], redact)
})

/** The run to be resumed has not ended yet. */
export class RunGoesOn extends Schema.TaggedError<RunGoesOn>()("RunGoesOn", { runId: Schema.String }) {
  override get message(): string {
    return `The run ${this.runId} has not ended. Follow it: task-conductor attach ${this.runId}. End it: task-conductor cancel ${this.runId}`
  }
}

/** A saved run with its settings for resuming. New settings override the saved ones, and the new approvals apply. */
const nextOf = Effect.fnUntraced(function* ({ configuration, project, run }: SavedRun, approvals: Approvals) {
  const runId = yield* (yield* RunStore).find(run)
  const standing = yield* (yield* ClusterRuns).standing(runId)
  const before = standing?.run.opened
  if (before === undefined) return yield* new ConfigurationError({ source: `The run ${runId}`, problems: [] })
  const where = project ?? before.project
  if (!(yield* isFolder(where))) {
    const what = `its project ${where} is not there. If it was moved, say where it is: --project FOLDER.`
    return yield* new ConfigurationError({ source: `The run ${runId}`, problems: [{ what }] })
  }
  const setup = yield* readSetup(where, mergeConfigurations(before.settings, configuration))
  return yield* clusterRunOf(before, setup, configuration.allow, { priority: standing?.run.priority, ...approvals })
})

/** Opens a run again and returns its id. The run must have ended or belong to another build. */
export const resumeOnCluster = Effect.fn("resumeOnCluster")(function* (saved: SavedRun, approvals: Approvals) {
  const next = yield* nextOf(saved, approvals)
  const { runId } = next.opened.order
  return (yield* (yield* ClusterRuns).reopen(next)) ? runId : yield* new RunGoesOn({ runId })
})

/**
 * Starts a run that takes over what an earlier run had finished before the task `from`. Returns the id of the new run.
 */
export const forkOnCluster = Effect.fn("forkOnCluster")(function* (
  { from, ...saved }: SavedRun & { readonly from: string },
  approvals: Approvals
) {
  const { records, runId: forked } = yield* readRun(saved.run)
  const begin = forkRecords(records, from)
  if (begin === undefined) return yield* new TaskNotFound({ runId: forked, given: from, names: runOf(records).names })
  const next = yield* nextOf(saved, approvals)
  const runId = yield* makeRunId
  yield* submitRun({ ...next, opened: { ...next.opened, order: { ...next.opened.order, runId } } }, begin)
  return runId
})

/**
 * Ends a run within seconds. `isCancelled` is false if the run had already ended. `name` is an id, its beginning, or
 * `last`.
 */
export const cancelRun = Effect.fn("cancelRun")(function* (name: string) {
  const store = yield* RunStore
  const runId = yield* store.find(name)
  return { runId, isCancelled: yield* (yield* ClusterRuns).cancel(runId) }
})

/**
 * Follows a run from its beginning to its report. The `Approver` answers the questions of the run. `report` is called
 * when no worker can work on the run, and when a worker can again.
 */
export const attachRun = Effect.fn("attachRun")(function* (
  name: string,
  listen: (recorded: RecordedEvent) => Effect.Effect<void>,
  report?: (what: string) => Effect.Effect<void>
) {
  const store = yield* RunStore
  const runId = yield* store.find(name)
  const standing = yield* (yield* ClusterRuns).standing(runId)
  const says = report === undefined || standing?.ending !== undefined ? () => Effect.void : report
  const progress = yield* watchWorkers(runId, says)
  const ending = yield* followRun(runId, listen, { progress, redact })
  return "refused" in ending ? yield* new RunRefused({ what: ending.refused, exitCode: ending.exitCode }) : ending
})
