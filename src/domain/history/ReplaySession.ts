/**
 * Splits a journal into sessions: one for each process that worked on the run, with the records it found and those it
 * wrote.
 */
import type { Configuration } from "../configuration/Configuration.ts"
import type { JournalRecord } from "./JournalRecord.ts"
import type { RunEvent } from "../runs/RunEvent.ts"

export interface ReplaySession {
  /** The settings of the session; those of the start of the run, when absent. */
  readonly settings: Configuration | undefined
  /** How many records the journal had when the session published its first event. */
  readonly known: number
  /** The records that the session wrote. */
  readonly own: ReadonlyArray<JournalRecord>
}

/** The sessions in order. Records before the first event of a session were known to it: the briefing, and those of a fork. */
export const replaySessions = (records: ReadonlyArray<JournalRecord>): ReadonlyArray<ReplaySession> => {
  const starts = [0, ...records.flatMap(({ type }, index) => (type === "resumed" ? [index] : []))]
  return starts.map((start, index) => {
    const first = records[start]
    const end = starts[index + 1] ?? records.length
    const begun = records.findIndex(({ type }, at) => at >= start && type === "event")
    const known = begun === -1 ? end : Math.min(begun, end)
    return {
      settings: first?.type === "resumed" ? first.settings : undefined,
      known,
      own: records.slice(known, end)
    }
  })
}

/** The events among the records. */
export const eventsTold = (records: ReadonlyArray<JournalRecord>): ReadonlyArray<RunEvent> =>
  records.flatMap((record) => (record.type === "event" ? [record.event] : []))

/** True when a session ended by itself: it was not killed, interrupted, or stopped at a call in doubt. */
export const hasEnded = (events: ReadonlyArray<RunEvent>): boolean =>
  events.some((event) => event.type === "run.finished" && event.report.status !== "interrupted") &&
  !events.some((event) => event.type === "approval.answered" && event.answer === "stop")
