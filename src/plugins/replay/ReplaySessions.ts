/**
 * Splits a journal into sessions: the start of the run, and each resumption.
 */
import type { JournalRecord } from "../../kit/runs.ts"

/** The sessions in order. Earlier records were known to a session: the briefing, and those of a fork. */
export const replaySessions = (records: ReadonlyArray<JournalRecord>) => {
  const starts = [0, ...records.flatMap(({ type }, index) => (type === "resumed" ? [index] : []))]
  return starts.map((start, index) => {
    const first = records[start]
    const end = starts[index + 1] ?? records.length
    const begun = records.findIndex(({ type }, at) => at >= start && type === "event")
    const firstOwn = begun === -1 ? end : Math.min(begun, end)
    return {
      /** The settings of the session. Default: those of the start. */
      settings: first?.type === "resumed" ? first.settings : undefined,
      /** The number of records before the session's first event. */
      known: firstOwn,
      own: records.slice(firstOwn, end)
    }
  })
}

export type ReplaySession = ReturnType<typeof replaySessions>[number]
