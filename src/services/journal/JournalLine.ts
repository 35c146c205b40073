/**
 * One line of a journal: `{"seq":1,"at":"...","record":{...},"sum":"1a2b3c4d"}`. `sum` is a CRC-32 over the previous
 * line's sum and this line's text. It shows changed, lost, duplicated and moved lines. After the record, the line may
 * contain a MAC (JournalSeal).
 */
import { crc32 } from "node:zlib"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { JournalRecord, makeWholePrompts } from "../../domain/journal/JournalRecord.ts"
import { textNestedTooDeep } from "../../domain/text/Json.ts"

/** The sum before the first line. */
export const firstSum = "00000000"

/** An intact line. Its record is decoded only when needed. */
export interface JournalLine {
  readonly seq: number
  /** The time when the record was written, in ISO 8601. */
  readonly at: string
  readonly type: string
  /** The key of the record; `""` for a record without a key. */
  readonly key: string
  /** The type of the event in the record; `""` for other records. */
  readonly event: string
  readonly json: unknown
  /** The whole line in the file; `""` for a record from a database. */
  readonly text: string
}

/** The maximum depth of a parsed record. No version writes deeper records. Such records could crash the program. */
const maxLevels = 256

const textIn = (value: unknown, name: string): string => {
  const found = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined
  return typeof found === "string" ? found : ""
}

/**
 * Adds to a line the type and key of its record, and the type of its event. A value that the record lacks becomes an
 * empty text.
 */
export const lineOf = ({ json, ...line }: Pick<JournalLine, "seq" | "at" | "json" | "text">): JournalLine => {
  const { event } = (json ?? {}) as { readonly event?: unknown }
  return { ...line, json, type: textIn(json, "type"), key: textIn(json, "key"), event: textIn(event, "type") }
}

/** The number, sum and MAC of the last line. The next line is computed from them. */
export interface LineEnd {
  readonly seq: number
  readonly sum: string
  readonly mac: string
}

export interface LineProtection {
  /** Serialises a record as JSON without secrets. */
  readonly write?: (record: Schema.Json) => string
  /** Computes the MAC of a line from the MAC of the previous line. A MAC proves who wrote the record. */
  readonly key?: { mac(before: string, line: string): string }
}

const encodeRecord = Schema.encodeSync(JournalRecord)

/** Encodes a record as a line. Also returns the number, checksum and MAC that the next line needs. */
export const encodeLine = (
  record: JournalRecord,
  at: string,
  before: LineEnd,
  { key, write = JSON.stringify }: LineProtection = {}
): LineEnd & { readonly text: string } => {
  const seq = before.seq + 1
  const plain = `{"seq":${seq},"at":"${at}","record":${write(encodeRecord(record) as Schema.Json)}`
  const mac = key?.mac(before.mac, plain) ?? before.mac
  const sealed = key === undefined ? plain : `${plain.slice(0, -1)},"mac":"${mac}"}`
  const sum = sumOf(before.sum, sealed)
  return { seq, sum, mac, text: `${sealed},"sum":"${sum}"}\n` }
}

const sumOf = (before: string, text: string): string => crc32(text, crc32(before)).toString(16).padStart(8, "0")

const form = /^(\{"seq":(\d{1,15}),"at":"([^"]{1,40})","record":(\{.*\})),"sum":"([0-9a-f]{8})"\}$/s
const kind = /^[\w.-]{1,64}$/

const head = /^\{"seq":\d+,"at":"([^"]{1,40})","record":\{"type":"([\w.-]+)"(?:,"event":\{"type":"([\w.-]+)")?/

/** The fields at the beginning of a line, found without parsing the others. Undefined for text that is no line. */
export const headOf = (text: string): { readonly at?: string; readonly type?: string; readonly event?: string } => {
  const [, at, type, event] = head.exec(text) ?? []
  return { at, type, event }
}

/** The checksum at the end of a line. */
export const sumIn = (text: string): string => text.slice(-10, -2)

export type LineProblem = "shape" | "sequence" | "sum"

/** The expected number of a line, and the checksum of the line before it. */
export interface LineBefore {
  readonly seq: number
  readonly before: string
}

/** Parses a line. The line must have the expected number and continue from the expected checksum. */
export const decodeLine = (text: string, { before, seq }: LineBefore): JournalLine | LineProblem => {
  const [, signed = "", number, at = "", record = "", sum] = form.exec(text) ?? []
  if (sum === undefined) return "shape"
  const isNext = Number(number) === seq
  if (sumOf(before, signed) !== sum) return isNext ? "sum" : "sequence"
  if (!isNext) return "sequence"
  const json = textNestedTooDeep(record, maxLevels) ? undefined : parseJson(record)
  const line = lineOf({ seq, at, json, text })
  return kind.test(line.type) && (line.event === "" || kind.test(line.event)) ? line : "shape"
}

export const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const decodeRecord = Schema.decodeUnknownOption(JournalRecord)

/** The record of a line that this version wrote. */
export const recordOf = (line: JournalLine): JournalRecord => Schema.decodeUnknownSync(JournalRecord)(line.json)

/** The record of a line; undefined if another version wrote it with an unknown type. */
export const readRecord = (line: JournalLine): JournalRecord | undefined =>
  Option.getOrUndefined(decodeRecord(line.json))

/** The records of lines, without records of an unknown type. Shortened prompts are restored. */
export const readRecords = (lines: ReadonlyArray<JournalLine>): ReadonlyArray<JournalRecord> => {
  const whole = makeWholePrompts()
  return lines.flatMap((line) => {
    const record = readRecord(line)
    return record === undefined ? [] : [whole(record)]
  })
}
