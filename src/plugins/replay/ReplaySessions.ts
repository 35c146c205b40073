/** Splits a journal into sessions: the first session, and one for each time the run was resumed. */
import type { JournalRecord } from "../../kit/runs.ts"

/**
 * The sessions in order. A session knows the records before it, such as the briefing. A fork also knows the records
 * that it took over.
 */
export const replaySessions = (records: ReadonlyArray<JournalRecord>) => {
  const starts = [0, ...records.flatMap(({ type }, index) => (type === "resumed" ? [index] : []))]
  return starts.map((start, index) => {
    const first = records[start]
    const end = starts[index + 1] ?? records.length
    const begun = records.findIndex(({ type }, at) => at >= start && type === "event")
    const firstOwn = begun === -1 ? end : Math.min(begun, end)
    return {
      /** The settings of the session. If absent, those of the first session. */
      settings: first?.type === "resumed" ? first.settings : undefined,
      /** How many records come before the first event of the session. */
      known: firstOwn,
      own: records.slice(firstOwn, end)
    }
  })
}

export type ReplaySession = ReturnType<typeof replaySessions>[number]
