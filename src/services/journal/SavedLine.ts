/**
 * A line in the bytes of a journal. What a line is about is read at once, the rest only when somebody asks for it: a
 * resumed run with very many lines needs few of their records.
 */
import { textNestedTooDeep } from "../../domain/text/Json.ts"
import { type JournalLine, sumOf } from "./JournalLine.ts"

/** How a line begins; what comes then is the rest of the record, however long it is. */
const head =
  /^(\{"seq":(\d{1,15}),"at":")([^"]{1,40})","record":\{"type":"([\w.-]{1,64})"(?:,"key":("(?:[^"\\]|\\.)*"))?(?:,"event":\{"type":"([\w.-]{1,64})")?/

/** How it ends, from the last brace of the record. */
const tail = /^\},"sum":"([0-9a-f]{8})"\}$/

/** What stands between the time and the record. */
const beforeRecord = '","record":'.length

/** The length of `,"sum":"1a2b3c4d"}`. */
const sumLength = 18

/** No version writes records with as many levels; reading more could end the program. */
const maxLevels = 256

/** Where the parts of a line are in the bytes. */
interface LineParts {
  readonly start: number
  readonly at: number
  readonly record: number
  readonly sum: number
}

export class SavedLine implements JournalLine {
  readonly seq: number
  readonly type: string
  readonly key: string
  readonly event: string
  readonly sum: string
  readonly #bytes: Buffer
  readonly #parts: LineParts

  constructor(bytes: Buffer, parts: LineParts, about: Pick<JournalLine, "seq" | "type" | "key" | "event" | "sum">) {
    this.#bytes = bytes
    this.#parts = parts
    this.seq = about.seq
    this.type = about.type
    this.key = about.key
    this.event = about.event
    this.sum = about.sum
  }

  get at(): string {
    return this.#bytes.toString("utf8", this.#parts.at, this.#parts.record - beforeRecord)
  }

  get json(): string {
    return this.#bytes.toString("utf8", this.#parts.record, this.#parts.sum)
  }

  /** The line up to the end of its record. */
  get signed(): Buffer {
    return this.#bytes.subarray(this.#parts.start, this.#parts.sum)
  }

  /** The whole line. */
  get whole(): Buffer {
    return this.#bytes.subarray(this.#parts.start, this.#parts.sum + sumLength)
  }
}

/** What is wrong with a line. */
export type LineProblem = "shape" | "sequence" | "sum"

/** The number and the sum that a line has to continue. */
export interface LineBefore {
  readonly seq: number
  readonly before: string
}

const readKey = (json: string): string | undefined => {
  try {
    return String(JSON.parse(json))
  } catch {
    return undefined
  }
}

/**
 * Reads the line between two places, which should follow the one with this number and sum. The bytes are taken for
 * characters: all that is looked for is ASCII, and what is kept of the line is read again, so that it does not hold its text.
 */
export const readLine = (bytes: Buffer, start: number, end: number, expected: LineBefore): SavedLine | LineProblem => {
  const text = bytes.toString("latin1", start, end)
  const found = head.exec(text)
  const sum = tail.exec(text.slice(-sumLength - 1))?.[1]
  if (found === null || sum === undefined) return "shape"
  const [begin, upToTime = "", seq = "", time = "", type = "", key = "", event = ""] = found
  const parts = {
    start,
    at: start + upToTime.length,
    record: start + upToTime.length + time.length + beforeRecord,
    sum: end - sumLength
  }
  if (parts.sum <= start + begin.length) return "shape"
  const isNext = Number(seq) === expected.seq
  if (sumOf(expected.before, bytes.subarray(start, parts.sum)) !== sum) return isNext ? "sum" : "sequence"
  if (!isNext) return "sequence"
  if (textNestedTooDeep(text.slice(parts.record - start, -sumLength), maxLevels)) return "shape"
  const typeAt = parts.record + '{"type":"'.length
  const keyAt = typeAt + type.length + '","key":'.length
  const name = key === "" ? "" : readKey(bytes.toString("utf8", keyAt, keyAt + key.length))
  if (name === undefined) return "shape"
  const eventAt = start + begin.length - 1 - event.length
  return new SavedLine(bytes, parts, {
    seq: expected.seq,
    type: bytes.toString("latin1", typeAt, typeAt + type.length),
    key: name,
    event: event === "" ? "" : bytes.toString("latin1", eventAt, eventAt + event.length),
    sum
  })
}

/** Reads the text of a line. */
export const decodeLine = (text: string, expected: LineBefore): SavedLine | LineProblem => {
  const bytes = Buffer.from(text)
  return readLine(bytes, 0, bytes.length, expected)
}
