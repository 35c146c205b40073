/**
 * A journal cut into the sessions of its run: each process that worked on the run is one, with what it knew from those
 * before it and what it did itself. Pure; called by the replay.
 */
import type { Configuration } from "../configuration/Configuration.ts"
import type { JournalRecord } from "./JournalRecord.ts"
import type { RunEvent } from "../runs/RunEvent.ts"

export interface ReplaySession {
  /** What was in force; what the run was begun with, when absent. */
  readonly settings: Configuration | undefined
  /** How many records of the journal it knew when it told its first event. */
  readonly known: number
  /** What it did, in order. */
  readonly own: ReadonlyArray<JournalRecord>
}

/** The sessions in order. What stands before the first event of one was known: the briefing, and what a fork took over. */
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

/** What a session told. */
export const eventsTold = (records: ReadonlyArray<JournalRecord>): ReadonlyArray<RunEvent> =>
  records.flatMap((record) => (record.type === "event" ? [record.event] : []))

/** True when a session came to an end of its own: it was not killed, interrupted, or stopped at a call in doubt. */
export const hasEnded = (events: ReadonlyArray<RunEvent>): boolean =>
  events.some((event) => event.type === "run.finished" && event.report.status !== "interrupted") &&
  !events.some((event) => event.type === "approval.answered" && event.answer === "stop")
