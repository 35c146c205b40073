/**
 * Records of a journal with their times, and the time that a run worked: pauses between its sessions do not count.
 */
import type { JournalRecord } from "../history/JournalRecord.ts"

/** A record and when it was written, in milliseconds since 1970. */
export interface TimedRecord {
  readonly at: number
  readonly record: JournalRecord
}

/** Milliseconds since the start of the run, without the pauses between its sessions. */
export type WorkTime = (at: number) => number

/** A session begins with its record and ends with the last one before the next session. */
export const workTimeOf = (records: ReadonlyArray<TimedRecord>): WorkTime => {
  const start = records[0]?.at ?? 0
  const pauses = records.flatMap(({ at, record }, index) => {
    const before = records[index - 1]
    return record.type === "resumed" && before !== undefined
      ? [{ from: before.at, ms: Math.max(0, at - before.at) }]
      : []
  })
  return (at) =>
    Math.max(
      0,
      pauses.reduce((time, { from, ms }) => (at > from ? time - ms : time), at - start)
    )
}
