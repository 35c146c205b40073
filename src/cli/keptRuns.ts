/**
 * What the words about kept runs do once flags are read. Loaded when it is needed: help and wrong usage start without it.
 */
import * as Effect from "effect/Effect"
import { runOverview } from "../domain/RunEvidence.ts"
import { layerRuns, readRun, readTask } from "../kept.ts"
import { repairJournal } from "../services/JournalRepair.ts"
import { RunStore } from "../services/RunStore.ts"

/** All runs, the newest first. */
export const listRuns = RunStore.use((store) => store.list).pipe(Effect.provide(layerRuns))

/** Removes the runs that began before a time (ISO 8601) and that nobody works on; gives what is gone. */
export const pruneRuns = (before: string) =>
  RunStore.use((store) =>
    Effect.flatMap(store.list, (all) =>
      Effect.filter(
        all.filter(({ startedAt }) => startedAt !== undefined && startedAt < before),
        ({ runId }) => store.remove(runId)
      )
    )
  ).pipe(Effect.provide(layerRuns))

/** Sets aside what is damaged in the journal of the run that is meant. */
export const repairRun = Effect.fn("repairRun")(function* (given: string) {
  const store = yield* RunStore
  const runId = yield* store.find(given)
  return { runId, repaired: yield* repairJournal(store.pathOf(runId)) }
}, Effect.provide(layerRuns))

/** What the run that is meant planned, did and found. */
export const showKeptRun = Effect.fn("showKeptRun")(function* (run: string) {
  const { records, runId } = yield* readRun(run)
  return { runId, overview: runOverview(records) }
}, Effect.provide(layerRuns))

/** What one task of it saw, said, called and found. */
export const showKeptTask = (run: string, task: string) => Effect.provide(readTask(run, task), layerRuns)
