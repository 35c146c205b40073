/**
 * One line of a journal: `{"seq":1,"at":"...","record":{...},"sum":"1a2b3c4d"}`. `sum` is a CRC-32 over the sum of the
 * line before and the text up to itself, so that a changed, missing, doubled or moved line shows. A record may end with a
 * MAC (JournalSeal), which is no part of it.
 */
import { crc32 } from "node:zlib"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { textNestedTooDeep } from "../../domain/text/JsonDepth.ts"
import { plainEncoder } from "../../domain/text/PlainEncoding.ts"
import { JournalRecord } from "../../domain/history/JournalRecord.ts"

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

const shape =
  /^\{"seq":(\d{1,15}),"at":"([^"]{1,40})","record":(\{"type":"([\w.-]{1,64})"(?:,"key":("(?:[^"\\]|\\.)*"))?(?:,"event":\{"type":"([\w.-]{1,64})")?.*\}),"sum":"([0-9a-f]{8})"\}$/s

const sumOf = (before: string, text: string): string =>
  crc32(before + text)
    .toString(16)
    .padStart(8, "0")

const encodeRecord = plainEncoder<JournalRecord, Schema.Json>(JournalRecord)
const decodeRecord = Schema.decodeUnknownOption(Schema.fromJsonString(JournalRecord))
const decodeKnown = Schema.decodeUnknownSync(JournalRecord)
const decodeKey = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.String))

/** Where a line goes: its number, its time, and the sum before it. */
interface LinePlace {
  readonly seq: number
  readonly at: string
  readonly before: string
}

/**
 * The line without its end, and its sum; `protect` changes the beginning of the line, up to the end of its record, and
 * `write` makes JSON of the record.
 */
export const encodeLine = (
  record: JournalRecord,
  { at, before, seq }: LinePlace,
  protect: (line: string) => string = (line) => line,
  write: (value: Schema.Json) => string = JSON.stringify
): { readonly text: string; readonly sum: string } => {
  const json = write(encodeRecord(record))
  const body = protect(`{"seq":${seq},"at":"${at}","record":${json}`)
  const sum = sumOf(before, body)
  return { text: `${body},"sum":"${sum}"}`, sum }
}

/** No version writes records with as many levels; reading more could end the program. */
const maxLevels = 256

/** What is wrong with a line. */
export type LineProblem = "shape" | "sequence" | "sum"

/** Reads a line that should follow the one with this number and sum. */
export const decodeLine = (
  text: string,
  expected: { readonly seq: number; readonly before: string }
): JournalLine | LineProblem => {
  const found = shape.exec(text)
  if (found === null) return "shape"
  const [, seq = "", at = "", json = "", type = "", key, event = "", sum = ""] = found
  if (sumOf(expected.before, text.slice(0, text.length - 18)) !== sum) {
    return Number(seq) === expected.seq ? "sum" : "sequence"
  }
  if (Number(seq) !== expected.seq) return "sequence"
  if (textNestedTooDeep(json, maxLevels)) return "shape"
  const name = key === undefined ? Option.some("") : decodeKey(key)
  return Option.isNone(name) ? "shape" : { seq: Number(seq), at, type, key: name.value, event, sum, json }
}

/** The record of a line that this version wrote. */
export const recordOf = (line: JournalLine): JournalRecord => decodeKnown(JSON.parse(line.json))

/** The record of a line. Nothing when this version does not know it: its checksum is right, so another version wrote it. */
export const readRecord = (line: JournalLine): JournalRecord | undefined =>
  Option.getOrUndefined(decodeRecord(line.json))

/** The records of lines, without those that this version does not know. */
export const readRecords = (lines: ReadonlyArray<JournalLine>): ReadonlyArray<JournalRecord> =>
  lines.flatMap((line) => readRecord(line) ?? [])
