/** Splits a journal into sessions: the first, and one for each time the run was resumed. */
import type { JournalRecord } from "../../kit/runs.ts"

/**
 * The sessions in order. Each can use the records before it, such as the briefing. In a fork, these include the records
 * taken over from the earlier run.
 */
export const replaySessions = (records: ReadonlyArray<JournalRecord>) => {
  const starts = [0, ...records.flatMap(({ type }, index) => (type === "resumed" ? [index] : []))]
  return starts.map((start, index) => {
    const first = records[start]
    const end = starts[index + 1] ?? records.length
    const begun = records.findIndex(({ type }, at) => at >= start && type === "event")
    const firstOwn = begun === -1 ? end : Math.min(begun, end)
    return {
      /** The session's settings. Absent means those of the first session. */
      settings: first?.type === "resumed" ? first.settings : undefined,
      /** The number of records before the session's first event. */
      known: firstOwn,
      own: records.slice(firstOwn, end)
    }
  })
}

export type ReplaySession = ReturnType<typeof replaySessions>[number]
