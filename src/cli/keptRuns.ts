/**
 * What the words about kept runs do once flags are read. Loaded when it is needed: help and wrong usage start without it.
 */
import * as Effect from "effect/Effect"
import { layerRuns } from "../kept.ts"
import type { JournalRecord } from "../domain/JournalRecord.ts"
import { nearest } from "../domain/Nearest.ts"
import { taskNames } from "../domain/RunEvidence.ts"
import { recordOf } from "../services/JournalLine.ts"
import { repairJournal } from "../services/JournalRepair.ts"
import { RunStore } from "../services/RunStore.ts"
import { usageFailure } from "./Failure.ts"

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

/** Everything that the journal of the run that is meant holds. */
export const readRun = Effect.fn("readRun")(function* (given: string) {
  const store = yield* RunStore
  const runId = yield* store.find(given)
  const { lines } = yield* store.read(runId)
  return { runId, records: lines.map(recordOf) }
}, Effect.provide(layerRuns))

/** The person named a task that the run does not have. */
export const noTask = (run: string, records: ReadonlyArray<JournalRecord>, wanted: string) => {
  const names = taskNames(records)
  const near = nearest(wanted, names).slice(0, 3)
  const hint = near.length > 0 ? `Nearest: ${near.join(", ")}.` : `It has: ${names.join(", ") || "none"}.`
  return usageFailure(`The run ${run} has no task "${wanted}". ${hint}`)
}
