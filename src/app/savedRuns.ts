/**
 * The saved runs of this machine: which there are, and what they hold.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import { taskEvidence, taskNames, TaskNotFound } from "../domain/history/RunEvidence.ts"
import { slugOf } from "../domain/text/Slug.ts"
import { userFolders } from "../services/configuration/UserFolders.ts"
import { leftOutNote } from "../services/journal/UnknownRecords.ts"
import { RunStore } from "../services/history/RunStore.ts"
import { readRecord } from "../services/journal/JournalLine.ts"

/** The store of the runs of this machine. */
export const layerRuns = Layer.unwrap(
  Effect.gen(function* () {
    const { state } = yield* userFolders((yield* Path.Path).resolve())
    return RunStore.layer(state)
  })
)

/** Everything in the journal of a run. */
export const readRun = Effect.fn("readRun")(function* (run: string) {
  const store = yield* RunStore
  const runId = yield* store.find(run)
  const { lines } = yield* store.read(runId)
  const read = lines.map((line) => ({ line, record: readRecord(line) }))
  const unread = new Set(read.flatMap(({ line, record }) => (record === undefined ? [line] : [])))
  return {
    runId,
    records: read.flatMap(({ record }) => record ?? []),
    leftOut: leftOutNote(lines, (line) => unread.has(line))
  }
})

/** What one task of a run saw, said, called and found. */
export const readTask = Effect.fn("readTask")(function* (run: string, task: string) {
  const { leftOut, records, runId } = yield* readRun(run)
  const names = taskNames(records)
  const name = names.find((one) => slugOf(one) === slugOf(task))
  if (name === undefined) return yield* new TaskNotFound({ runId, given: task, names })
  return { evidence: taskEvidence(records, name), leftOut }
})
