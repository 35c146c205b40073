/**
 * One line of a journal: `{"seq":1,"at":"...","record":{...},"sum":"1a2b3c4d"}`. `sum` is a CRC-32 over the sum of the
 * line before and the text up to itself, so that a changed, missing, doubled or moved line shows. A record may end with a
 * MAC (JournalSeal), which is no part of it.
 */
import { crc32 } from "node:zlib"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { JournalRecord, makeWholePrompts } from "../../domain/journal/JournalRecord.ts"
import { textNestedTooDeep } from "../../domain/text/Json.ts"

/** The sum before the first line. */
export const firstSum = "00000000"

/** A line that was read and is intact; its record is decoded when it is needed. */
export interface JournalLine {
  readonly seq: number
  /** ISO 8601. */
  readonly at: string
  readonly type: string
  /** `""` for records without one. */
  readonly key: string
  /** The type of the event that the record holds; `""` for other records. */
  readonly event: string
  readonly json: unknown
  /** The whole line as it stands in a file; `""` for a record of a database. */
  readonly text: string
}

/** No version writes records with as many levels; reading more could end the program. */
const maxLevels = 256

const textIn = (value: unknown, name: string): string => {
  const found = typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined
  return typeof found === "string" ? found : ""
}

/** A line around a record, with what it is about. */
export const lineOf = ({ json, ...line }: Pick<JournalLine, "seq" | "at" | "json" | "text">): JournalLine => {
  const { event } = (json ?? {}) as { readonly event?: unknown }
  return { ...line, json, type: textIn(json, "type"), key: textIn(json, "key"), event: textIn(event, "type") }
}

/** What the next line continues: number, sum and MAC of the last one. */
export interface LineEnd {
  readonly seq: number
  readonly sum: string
  readonly mac: string
}

export interface LineProtection {
  /** Writes a record as JSON without its secrets. */
  readonly write?: (record: Schema.Json) => string
  /** Makes the MAC of a line that continues from another MAC; it proves who wrote the record. */
  readonly key?: { mac(before: string, line: string): string }
}

const encodeRecord = Schema.encodeSync(JournalRecord)

/** The line of a record, with its end. */
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

/** What the beginning of a line says, without reading it whole; nothing for what does not begin as one. */
export const headOf = (text: string): { readonly at?: string; readonly type?: string; readonly event?: string } => {
  const [, at, type, event] = head.exec(text) ?? []
  return { at, type, event }
}

/** The sum in the text of a line. */
export const sumIn = (text: string): string => text.slice(-10, -2)

export type LineProblem = "shape" | "sequence" | "sum"

/** The number and the sum that a line has to continue. */
export interface LineBefore {
  readonly seq: number
  readonly before: string
}

/** Reads the text of a line, which should have this number and follow the line with this sum. */
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

/** The record of a line. Nothing when this version does not know it: its checksum is right, so another version wrote it. */
export const readRecord = (line: JournalLine): JournalRecord | undefined =>
  Option.getOrUndefined(decodeRecord(line.json))

/** The records of lines, without those that this version does not know; prompts have their whole text. */
export const readRecords = (lines: ReadonlyArray<JournalLine>): ReadonlyArray<JournalRecord> => {
  const whole = makeWholePrompts()
  return lines.flatMap((line) => {
    const record = readRecord(line)
    return record === undefined ? [] : [whole(record)]
  })
}
