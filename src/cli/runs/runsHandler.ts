/**
 * What the commands about saved runs do once flags are read. Loaded when it is needed, like the handler of `run`.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { overviewEvents, runOverview, type RunSummary } from "../../domain/history/RunOverview.ts"
import { layerRuns, readRun, readTask } from "../../app/savedRuns.ts"
import { repairJournal } from "../../services/journal/JournalRepair.ts"
import { runsOf, RunStore } from "../../services/history/RunStore.ts"

/** The runs of this machine, or those in the database. */
const storeOf = (isCluster: boolean) =>
  isCluster
    ? Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("../../app/clusterClient.ts")),
          ({ layerClusterRuns }) => layerClusterRuns()
        )
      )
    : layerRuns

/** All runs, the newest first. */
export const listRuns = (isCluster: boolean) =>
  RunStore.use((store) => store.list).pipe(Effect.provide(storeOf(isCluster)))

/** The runs of the current project, and those of others. */
export const separateRuns = (all: ReadonlyArray<RunSummary>) =>
  Effect.flatMap(Path.Path, (path) => runsOf(all, path.resolve()))

/** The workers of the last day, as they describe themselves in the database. */
export const listWorkers = Effect.gen(function* () {
  const { layerClusterRuns } = yield* Effect.promise(() => import("../../app/clusterClient.ts"))
  const { ClusterWorkers } = yield* Effect.promise(() => import("../../services/cluster/ClusterWorkers.ts"))
  return yield* ClusterWorkers.use(({ list }) => list).pipe(Effect.provide(layerClusterRuns()))
})

/** Removes the inactive runs that started before a time (ISO 8601); returns the removed ones. */
export const pruneRuns = (before: string, isCluster: boolean) =>
  RunStore.use((store) =>
    Effect.flatMap(store.list, (all) =>
      Effect.filter(
        all.filter(({ startedAt }) => startedAt !== undefined && startedAt < before),
        ({ runId }) => store.remove(runId)
      )
    )
  ).pipe(Effect.provide(storeOf(isCluster)))

/** Moves the damaged part of a run's journal to a file beside it. */
export const repairRun = Effect.fn("repairRun")(function* (given: string) {
  const store = yield* RunStore
  const runId = yield* store.find(given)
  return { runId, repaired: yield* repairJournal(store.pathOf(runId)) }
}, Effect.provide(layerRuns))

/** What a run planned, did and found. */
export const printRun = (run: string, isCluster: boolean) =>
  readRun(run, undefined, ({ event }) => overviewEvents.has(event)).pipe(
    Effect.map(({ head, leftOut, records }) => ({ leftOut, overview: runOverview(records, head) })),
    Effect.provide(storeOf(isCluster))
  )

/** What one task of a run saw, said, called and found. */
export const printTask = (run: string, task: string, isCluster: boolean) =>
  Effect.provide(readTask(run, task), storeOf(isCluster))
