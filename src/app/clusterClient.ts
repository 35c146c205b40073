/**
 * Starts, follows, cancels and reads cluster runs through a database, for clients. Part of the composition
 * root.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Stdio from "effect/Stdio"
import type * as Terminal from "effect/Terminal"
import { WorkflowEngine } from "effect/workflow/WorkflowEngine"
import { journalVersion, type ClusterRun } from "../domain/journal/JournalRecord.ts"
import { makeValueRedaction, secretValues } from "../domain/text/Redaction.ts"
import { RunOrder } from "../domain/runs/RunOrder.ts"
import type { RecordedEvent } from "../domain/runs/RunEvent.ts"
import type { Approver } from "../services/approvals/Approver.ts"
import { DatabaseUnnamed, layerDatabase, databaseVariable } from "../services/cluster/ClusterDatabase.ts"
import { layerClientEngine, layerWorkerEngine } from "../services/cluster/ClusterEngine.ts"
import { cancelledEnding, ClusterRuns, layerClusterStore } from "../services/cluster/ClusterRuns.ts"
import { ClusterWorkers, watchWorkers } from "../services/cluster/ClusterWorkers.ts"
import { followRun } from "../services/cluster/RunFollower.ts"
import { RunStore } from "../services/history/RunStore.ts"
import { makeRunAnswers, RunRefused, RunWorkflow } from "../services/cluster/RunWorkflow.ts"
import { ConfigurationError } from "../services/configuration/ConfigurationError.ts"
import { environmentVariable } from "../services/configuration/UserFolders.ts"
import type { RunContext } from "./RunContext.ts"
import type { NewRun } from "./runs.ts"
import { readSetup, savedSettings } from "./setup.ts"
import { build } from "./build.ts"

const redact = makeValueRedaction(secretValues(process.env))
const encodeOrder = Schema.encodeEffect(Schema.toCodecJson(RunOrder))
const decodeOrder = Schema.decodeUnknownEffect(Schema.toCodecJson(RunOrder))

/** The database at an address, or the one that the environment names when it is absent or empty. */
export const layerNamedDatabase = (address = "") =>
  Layer.unwrap(
    Effect.gen(function* () {
      const url = address === "" ? yield* environmentVariable(databaseVariable) : address
      return url === undefined ? yield* new DatabaseUnnamed() : layerDatabase(Redacted.make(url))
    })
  )

/** The runs in the database, without an engine. */
export const layerClusterRuns = (address?: string) =>
  layerClusterStore.pipe(
    Layer.provideMerge(Layer.merge(ClusterRuns.layer, ClusterWorkers.layer)),
    Layer.provide(layerNamedDatabase(address))
  )

/** What a client needs to start and follow runs; the approver answers their questions. */
export const layerClient = (
  approver: Layer.Layer<Approver, never, Stdio.Stdio | Terminal.Terminal>,
  database?: string
) =>
  Layer.mergeAll(layerClientEngine, ClusterRuns.layer, ClusterWorkers.layer).pipe(
    Layer.provide(layerNamedDatabase(database)),
    Layer.merge(approver)
  )

/** What a worker needs to find runs and to share them with other workers. */
export const layerWorkerEnvironment = (address?: string) =>
  Layer.mergeAll(layerWorkerEngine, ClusterRuns.layer, ClusterWorkers.layer).pipe(
    Layer.provide(layerNamedDatabase(address))
  )

/** Reads the setup of a run on this machine, for the workers. What is allowed and approved holds for this run only. */
export const prepareRun = Effect.fn("prepareRun")(function* (
  { given, order, project }: Omit<NewRun, "keep">,
  { approveSteps, yes = false }: Pick<RunContext, "approveSteps" | "yes">
) {
  const fs = yield* FileSystem.FileSystem
  const setup = yield* readSetup(project, given)
  if (setup.usesDefaultModel) {
    const what = 'no model is chosen. Name one that the servers of the workers have: --model NAME, or "model".'
    return yield* new ConfigurationError({ source: "A cluster run", problems: [{ what }] })
  }
  const opened: ClusterRun["opened"] = {
    type: "opened",
    version: journalVersion,
    program: build,
    project: yield* Effect.orElseSucceed(fs.realPath(setup.project), () => setup.project),
    /* The database holds no secrets: neither of its tables nor those of the engine. */
    order: yield* Effect.orDie(decodeOrder(redact(yield* Effect.orDie(encodeOrder(order))))),
    settings: savedSettings(setup)
  }
  return { opened, allow: given.allow ?? [], approveSteps, ...(yes ? { yes } : {}) } satisfies ClusterRun
})

/** Puts a run into the database, where a worker finds it. */
export const submitRun = Effect.fn("submitRun")(function* (run: ClusterRun) {
  const runs = yield* ClusterRuns
  yield* runs.submit(run)
  yield* runs.append(run.opened.order.runId, run.opened, redact)
})

/** Ends a run, within seconds; false when it had ended before. */
export const cancelRun = Effect.fn("cancelRun")(function* (given: string) {
  const store = yield* RunStore
  const runId = yield* store.find(given)
  const runs = yield* ClusterRuns
  const isCancelled = yield* runs.cancel(runId)
  /* No worker is running to end it. */
  if (isCancelled && (yield* (yield* ClusterWorkers).alive).length === 0)
    yield* runs.end(runId, cancelledEnding, (value) => value)
  return { runId, isCancelled }
})

/**
 * Follows a run from its beginning to its report; the `Approver` answers its questions. `report` receives that no worker is there,
 * and that one came.
 */
export const attachRun = Effect.fn("attachRun")(function* (
  given: string,
  listen: (recorded: RecordedEvent) => Effect.Effect<void>,
  report?: (what: string) => Effect.Effect<void>
) {
  const store = yield* Effect.provide(RunStore, layerClusterStore)
  const runId = yield* store.find(given)
  const { opened } = yield* store.read(runId)
  const { order } = opened
  const engine = yield* WorkflowEngine
  /* The same order twice is one execution: this completes the start of a client that died between its two steps. */
  yield* RunWorkflow.execute({ order }, { discard: true })
  const { progress } = yield* ClusterWorkers
  const runs = yield* ClusterRuns
  if (report !== undefined && (yield* runs.standing(runId))?.ending === undefined)
    yield* Effect.forkScoped(Effect.ignore(watchWorkers(opened.program, report)))
  const ending = yield* followRun(runId, yield* makeRunAnswers(engine, order), listen, {
    progress: progress(runId),
    redact
  })
  return "refused" in ending ? yield* new RunRefused({ what: ending.refused, exitCode: ending.exitCode }) : ending
}, Effect.scoped)
