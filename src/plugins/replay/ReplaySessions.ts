/**
 * A journal in parts: the start of the run, and each time it was resumed.
 */
import type { JournalRecord } from "../../kit/runs.ts"

/** The sessions in order. Records before the first event of a session were known to it: the briefing, and those of a fork. */
export const replaySessions = (records: ReadonlyArray<JournalRecord>) => {
  const starts = [0, ...records.flatMap(({ type }, index) => (type === "resumed" ? [index] : []))]
  return starts.map((start, index) => {
    const first = records[start]
    const end = starts[index + 1] ?? records.length
    const begun = records.findIndex(({ type }, at) => at >= start && type === "event")
    const known = begun === -1 ? end : Math.min(begun, end)
    return {
      /** The settings of the session; those of the start of the run, when absent. */
      settings: first?.type === "resumed" ? first.settings : undefined,
      /** How many records the journal had when the session published its first event. */
      known,
      /** The records that the session wrote. */
      own: records.slice(known, end)
    }
  })
}

export type ReplaySession = ReturnType<typeof replaySessions>[number]
