/**
 * One line of a journal: `{"seq":1,"at":"...","record":{...},"sum":"1a2b3c4d"}`. `sum` is a CRC-32 over the sum of the
 * line before and the text up to itself, so that a changed, missing, doubled or moved line shows. A record may end with a
 * MAC (JournalSeal), which is no part of it.
 */
import { crc32 } from "node:zlib"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { JournalRecord } from "../../domain/history/JournalRecord.ts"
import { makeWholePrompts } from "../../domain/history/SharedSystem.ts"

/** The sum before the first line. */
export const firstSum = "00000000"

/** A line that was read and is intact; the record is decoded when it is needed. */
export interface JournalLine {
  readonly seq: number
  /** ISO 8601. */
  readonly at: string
  readonly type: string
  /** `""` for records without one. */
  readonly key: string
  /** The type of the event that the record holds; `""` for other records. */
  readonly event: string
  readonly sum: string
  /** The JSON of the record. */
  readonly json: string
}

/** The sum of a line whose bytes up to its sum are these. */
export const sumOf = (before: string, bytes: Uint8Array): string =>
  crc32(bytes, crc32(before)).toString(16).padStart(8, "0")

const decodeRecord = Schema.decodeUnknownOption(JournalRecord)
const decodeKnown = Schema.decodeUnknownSync(JournalRecord)

/** Nothing when it is no JSON, which no record is. */
const parsed = ({ json }: JournalLine): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/** The record of a line that this version wrote. */
export const recordOf = (line: JournalLine): JournalRecord => decodeKnown(JSON.parse(line.json))

/** The record of a line. Nothing when this version does not know it: its checksum is right, so another version wrote it. */
export const readRecord = (line: JournalLine): JournalRecord | undefined =>
  Option.getOrUndefined(decodeRecord(parsed(line)))

/** The records of lines, without those that this version does not know; prompts have their whole text. */
export const readRecords = (lines: ReadonlyArray<JournalLine>): ReadonlyArray<JournalRecord> => {
  const whole = makeWholePrompts()
  return lines.flatMap((line) => {
    const record = readRecord(line)
    return record === undefined ? [] : [whole(record)]
  })
}
