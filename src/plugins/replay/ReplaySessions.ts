/** Splits a journal into sessions: the first session of a run, and one for each time the run was resumed. */
import type { JournalRecord } from "../../kit/runs.ts"

/**
 * The sessions in order. A session can use the records before it, such as the briefing. The first session of a fork can
 * also use the records that the fork took over from the earlier run.
 */
export const replaySessions = (records: ReadonlyArray<JournalRecord>) => {
  const starts = [0, ...records.flatMap(({ type }, index) => (type === "resumed" ? [index] : []))]
  return starts.map((start, index) => {
    const first = records[start]
    const end = starts[index + 1] ?? records.length
    const begun = records.findIndex(({ type }, at) => at >= start && type === "event")
    const firstOwn = begun === -1 ? end : Math.min(begun, end)
    return {
      /** The settings of the session. If absent, the settings of the first session apply. */
      settings: first?.type === "resumed" ? first.settings : undefined,
      /** How many records come before the first event of the session. */
      known: firstOwn,
      own: records.slice(firstOwn, end)
    }
  })
}

export type ReplaySession = ReturnType<typeof replaySessions>[number]
