/**
 * The text of one line of a journal.
 */
import type { JournalRecord } from "../../src/domain/history/JournalRecord.ts"
import { LineBytes, type LineEnd, type LineProtection } from "../../src/services/journal/LineBytes.ts"

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
  protection?: LineProtection
): LineEnd & { readonly text: string } => {
  const lines = new LineBytes({ seq: seq - 1, sum: before, mac }, protection)
  lines.add(record, at)
  return { ...lines.end, text: Buffer.from(lines.take()).toString("utf8").slice(0, -1) }
}
