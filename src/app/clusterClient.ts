/**
 * Runs that machines share, as clients see them: begun, followed, cancelled and looked at through the database that the
 * environment names. Part of the composition root.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as SqlClient from "effect/sql/SqlClient"
import { WorkflowEngine } from "effect/workflow/WorkflowEngine"
import { journalVersion, type ClusterRun } from "../domain/history/JournalRecord.ts"
import { makeRedaction, secretValues } from "../domain/text/Redaction.ts"
import type { RecordedEvent } from "../domain/runs/RunEvent.ts"
import type { RunOrder } from "../domain/runs/RunOrder.ts"
import {
  databaseVariable,
  DatabaseUnnamed,
  type DatabaseUnavailable,
  layerDatabase
} from "../services/cluster/ClusterDatabase.ts"
import { layerClientEngine, layerWorkerEngine } from "../services/cluster/ClusterEngine.ts"
import { cancelledEnding, ClusterRuns } from "../services/cluster/ClusterRuns.ts"
import { layerClusterStore } from "../services/cluster/ClusterStore.ts"
import { followRun } from "../services/cluster/RunFollower.ts"
import { RunStore } from "../services/history/RunStore.ts"
import { answersOf, RunRefused, RunWorkflow } from "../services/pipeline/RunWorkflow.ts"
import { environmentVariable } from "../services/configuration/UserFolders.ts"
import { savedSettings, type Setup } from "./setup.ts"
import { version } from "./version.ts"

/** The address of the database; what the environment says when it is empty. */
export const DatabaseAddress = Context.Reference<string>("task-conductor/app/clusterClient/DatabaseAddress", {
  defaultValue: () => ""
})

/** The database that is named. */
const layerNamedDatabase: Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable | DatabaseUnnamed> = Layer.unwrap(
  Effect.gen(function* () {
    const given = yield* DatabaseAddress
    const url = given === "" ? yield* environmentVariable(databaseVariable) : given
    return url === undefined ? yield* new DatabaseUnnamed() : layerDatabase(Redacted.make(url))
  })
)

/** The runs in the database, without an engine. */
export const layerClusterRuns = layerClusterStore.pipe(
  Layer.provideMerge(ClusterRuns.layer),
  Layer.provide(layerNamedDatabase)
)

/** What a client needs to begin and follow runs. */
export const layerClient = Layer.merge(layerClientEngine, ClusterRuns.layer).pipe(Layer.provide(layerNamedDatabase))

/** What a worker stands on. */
export const layerWorkerEnvironment = Layer.merge(layerWorkerEngine, ClusterRuns.layer).pipe(
  Layer.provide(layerNamedDatabase)
)

/** What is allowed beforehand in a run; nothing of it is kept elsewhere. */
export interface ClusterGrants {
  readonly allow: ReadonlyArray<string>
  readonly approveSteps: boolean
}

/** Puts a run into the database, where a worker finds it. */
export const submitRun = Effect.fn("submitRun")(function* (setup: Setup, order: RunOrder, grants: ClusterGrants) {
  const fs = yield* FileSystem.FileSystem
  const runs = yield* ClusterRuns
  const project = yield* Effect.orElseSucceed(fs.realPath(setup.project), () => setup.project)
  const opened: ClusterRun["opened"] = {
    type: "opened",
    version: journalVersion,
    program: version,
    project,
    order,
    settings: savedSettings(setup)
  }
  yield* runs.submit({ opened, ...grants })
  yield* runs.append(order.runId, opened, makeRedaction(secretValues(process.env)))
})

/** Ends a run, within seconds; false when it had ended before. */
export const cancelRun = Effect.fn("cancelRun")(function* (given: string) {
  const store = yield* RunStore
  const runId = yield* store.find(given)
  const runs = yield* ClusterRuns
  const isCancelled = yield* runs.cancel(runId)
  /* Nobody is there to end it. */
  if (isCancelled && (yield* runs.workers) === 0) yield* runs.end(runId, cancelledEnding, (json) => json)
  return { runId, isCancelled }
})

/** Follows a run from its beginning to its report; whoever is the approver answers what it asks. */
export const attachRun = Effect.fn("attachRun")(function* (
  given: string,
  listen: (recorded: RecordedEvent) => Effect.Effect<void>
) {
  const store = yield* Effect.provide(RunStore, layerClusterStore)
  const runId = yield* store.find(given)
  const { opened } = yield* store.read(runId)
  const { order } = opened
  const engine = yield* WorkflowEngine
  /* The same order twice is one execution: this mends a client that died between its two steps. */
  yield* RunWorkflow.execute({ order }, { discard: true })
  const ending = yield* followRun(runId, yield* answersOf(engine, order), listen)
  return "refused" in ending ? yield* new RunRefused({ what: ending.refused, exitCode: ending.exitCode }) : ending
})
