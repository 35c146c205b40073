/**
 * Reads a journal and verifies its integrity. Damage in the middle is an error. An incomplete last line is the trace of
 * a crash: it is reported separately, and the next writer cuts it off first.
 */
import { isUtf8 } from "node:buffer"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"
import * as Schema from "effect/Schema"
import { journalVersion, type RunOpened } from "../../domain/history/JournalRecord.ts"
import { JournalError, type JournalReason } from "./JournalError.ts"
import { firstSum, type JournalLine, readRecord } from "./JournalLine.ts"
import { type LineBefore, readLine, type SavedLine } from "./SavedLine.ts"
import { codeOf } from "../files/FileFailure.ts"

export interface JournalContent {
  readonly opened: RunOpened
  /** All intact lines, the first one included. */
  readonly lines: ReadonlyArray<JournalLine>
  /** The bytes that these lines take. */
  readonly size: number
  /** The incomplete line that a crash left behind them. */
  readonly torn: Uint8Array
  /** Offsets in the file at which a line end is damaged; the records around it are intact. */
  readonly badEnds: ReadonlyArray<number>
  /** The state of the file when it was read; a file that was written since then has another one. */
  readonly state?: string
}

/** Larger journals are not read. */
export const maxJournalBytes = 512 * 1024 * 1024

const newline = 0x0a

const isJson = (bytes: Buffer): boolean => {
  try {
    JSON.parse(bytes.toString("utf8"))
    return isUtf8(bytes)
  } catch {
    return false
  }
}

const firstBytes = Buffer.from('{"seq":1,"at":"')

/** Whether a line without an end can be the first of a journal. */
const beginsAsJournal = (bytes: Uint8Array): boolean => {
  const length = Math.min(bytes.length, firstBytes.length)
  return firstBytes.subarray(0, length).equals(bytes.subarray(0, length))
}

const sumStart = Buffer.from(',"sum":"')
/** The length of `,"sum":"1a2b3c4d"}`. */
const sumLength = 18
const brace = 0x7b

/** Reads lines of these bytes. Those that are not UTF-8 are not taken for text, even if they look like it. */
const makeLineReader = (bytes: Buffer) => {
  const isText = isUtf8(bytes)
  return (start: number, end: number, expected: LineBefore) =>
    isText || isUtf8(bytes.subarray(start, end)) ? readLine(bytes, start, end, expected) : "shape"
}

/**
 * A record that is whole, by its checksum, and has another byte in the place of its newline: one bit was flipped, and
 * nothing is lost. What follows is the next record or nothing. Looks between `from` and `to`.
 */
const withBadEnd = (
  bytes: Buffer,
  read: ReturnType<typeof makeLineReader>,
  [from, to]: readonly [from: number, to: number],
  expected: LineBefore
) => {
  for (let at = bytes.indexOf(sumStart, from); at !== -1 && at < to; at = bytes.indexOf(sumStart, at + 1)) {
    const end = at + sumLength
    if (end >= to || (end + 1 < bytes.length && bytes[end + 1] !== brace)) continue
    const line = read(from, end, expected)
    if (typeof line !== "string") return { line, end }
  }
  return undefined
}

/** The lines up to the first damaged one, with where and why reading stopped. */
const readLines = (bytes: Buffer) => {
  const read = makeLineReader(bytes)
  const lines: Array<SavedLine> = []
  const badEnds: Array<number> = []
  let size = 0
  let before = firstSum
  for (;;) {
    const end = bytes.indexOf(newline, size)
    const expected = { seq: lines.length + 1, before }
    const line = read(size, end === -1 ? size : end, expected)
    if (typeof line !== "string") {
      lines.push(line)
      before = line.sum
      size = end + 1
      continue
    }
    const found = withBadEnd(bytes, read, [size, end === -1 ? bytes.length : end], expected)
    if (found === undefined) return { lines, badEnds, size, stop: end === -1 ? undefined : { what: line, end } }
    lines.push(found.line)
    badEnds.push(found.end)
    before = found.line.sum
    size = found.end + 1
  }
}

/** What every version writes into the first record. */
const decodeHead = Schema.decodeUnknownOption(
  Schema.fromJsonString(
    Schema.Struct({
      type: Schema.Literal("opened"),
      version: Schema.Number,
      program: Schema.optionalKey(Schema.String)
    })
  )
)

const stateOf = ({ dev, ino, mtime, size }: FileSystem.File.Info): string =>
  [dev, Option.getOrElse(ino, () => 0), Option.getOrElse(mtime, () => new Date(0)).getTime(), size].join(" ")

/** The bytes of a journal, at most 512 MiB, with its intact lines; the first of them opens a run. */
const readOpened = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const fail = (reason: JournalReason) => new JournalError({ path, reason })
  const unreadable = (error: PlatformError) =>
    fail(error.reason._tag === "NotFound" ? { _tag: "Missing" } : { _tag: "Unreadable", code: codeOf(error) })
  const info = yield* Effect.mapError(fs.stat(path), unreadable)
  if (info.type !== "File") return yield* fail({ _tag: "NotAFile" })
  if (info.size > maxJournalBytes) {
    return yield* fail({ _tag: "TooLarge", bytes: Number(info.size), most: maxJournalBytes })
  }
  const { buffer, byteLength, byteOffset } = yield* Effect.mapError(fs.readFile(path), unreadable)
  const bytes = Buffer.from(buffer, byteOffset, byteLength)
  const read = readLines(bytes)
  const [first] = read.lines
  if (first === undefined) {
    /* A run that ended while its first line was written has done nothing yet. */
    const isUnbegun = bytes.length === 0 || (read.stop === undefined && beginsAsJournal(bytes))
    return yield* fail({ _tag: isUnbegun ? "Empty" : "Foreign" })
  }
  const head = Option.getOrUndefined(decodeHead(first.json))
  if (head === undefined) return yield* fail({ _tag: "Foreign" })
  const { program = "of an unknown version", version } = head
  if (version !== journalVersion) {
    return yield* fail({ _tag: "OtherVersion", found: version, supported: journalVersion })
  }
  const opened = readRecord(first)
  if (opened?.type === "opened") return { ...read, opened, bytes, state: stateOf(info) }
  return yield* fail({ _tag: "UnknownRecord", line: 1, kind: "opened", program })
})

/**
 * Reads a journal whole. Fails when anything in it is damaged, except what a crash left at its end. Returns `before` when
 * the file is as it was when that was read.
 */
export const readJournal = Effect.fn("readJournal")(function* (path: string, before?: JournalContent) {
  if (before?.state !== undefined) {
    const info = yield* Effect.option((yield* FileSystem.FileSystem).stat(path))
    if (Option.isSome(info) && stateOf(info.value) === before.state) return before
  }
  const { badEnds, bytes, lines, opened, size, state, stop } = yield* readOpened(path)
  const isLast = stop !== undefined && stop.end === bytes.length - 1
  /* A whole record with a wrong sum was acknowledged once: it is not the trace of a crash. */
  if (stop !== undefined && !(isLast && stop.what === "shape" && !isJson(bytes.subarray(size, stop.end)))) {
    return yield* new JournalError({ path, reason: { _tag: "Damaged", line: lines.length + 1, what: stop.what } })
  }
  const content: JournalContent = { opened, lines, size, torn: bytes.subarray(size), badEnds, state }
  return content
})

/** The size of the intact beginning of a journal, and the bytes after it. */
export interface JournalRest {
  /** The number of intact records, and the bytes that they take. */
  readonly intact: number
  readonly size: number
  readonly rest: Uint8Array
}

/** The intact beginning of a journal. Fails when even the first record is damaged. */
export const readSound = Effect.fn("readSound")(function* (path: string) {
  const { bytes, lines, size } = yield* readOpened(path)
  const sound: JournalRest = { intact: lines.length, size, rest: bytes.subarray(size) }
  return sound
})
