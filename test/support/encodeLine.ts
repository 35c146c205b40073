/**
 * The text of one line of a journal.
 */
import type { JournalRecord } from "../../src/domain/journal/JournalRecord.ts"
import * as JournalLine from "../../src/services/journal/JournalLine.ts"

/** Where a line goes: its number, its time, and what it continues. */
export interface LinePlace {
  readonly seq: number
  readonly at: string
  readonly before: string
  readonly mac?: string
}

/** The line without its end, and what the next one continues. */
export const encodeLine = (
  record: JournalRecord,
  { at, before, mac = "", seq }: LinePlace,
  protection?: JournalLine.LineProtection
) => {
  const line = JournalLine.encodeLine(record, at, { seq: seq - 1, sum: before, mac }, protection)
  return { ...line, text: line.text.slice(0, -1) }
}
