/**
 * Reads and verifies a journal. Damage in the middle is an error. A partial last line comes from a crash: it is
 * reported separately, and the next writer removes it.
 */
import { isUtf8 } from "node:buffer"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import type { PlatformError } from "effect/PlatformError"
import * as Schema from "effect/Schema"
import { journalVersion, type RunOpened } from "../../domain/journal/JournalRecord.ts"
import { JournalError, type JournalReason } from "./JournalError.ts"
import { decodeLine, firstSum, type JournalLine, type LineBefore, parseJson, readRecord, sumIn } from "./JournalLine.ts"
import { codeOf } from "../files/FileFailure.ts"

export interface JournalContent {
  readonly opened: RunOpened
  /** All intact lines, including the first. */
  readonly lines: ReadonlyArray<JournalLine>
  /** The length of these lines in bytes. */
  readonly size: number
  /** The partial line that a crash left. */
  readonly torn: Uint8Array
}

/** The maximum size of a journal that is read, in bytes. */
export const maxJournalBytes = 512 * 1024 * 1024

const newline = 0x0a

const beginning = '{"seq":1,"at":"'

/** True if a partial line can be the first line of a journal. */
const beginsAsJournal = (bytes: Buffer): boolean => beginning.startsWith(bytes.toString("latin1", 0, beginning.length))

/**
 * The lines before the first damaged one. `stop` says where and why reading stopped; undefined if no line is damaged.
 */
const readLines = (bytes: Buffer) => {
  const lines: Array<JournalLine> = []
  let size = 0
  for (;;) {
    const last = lines.at(-1)
    const expected = { seq: lines.length + 1, before: last === undefined ? firstSum : sumIn(last.text) }
    const end = bytes.indexOf(newline, size)
    if (end === -1) return { lines, size, expected, stop: undefined }
    const text = bytes.subarray(size, end)
    const line = isUtf8(text) ? decodeLine(text.toString("utf8"), expected) : "shape"
    if (typeof line === "string") return { lines, size, expected, stop: { what: line, end } }
    lines.push(line)
    size = end + 1
  }
}

/**
 * True if the bytes after the intact lines were completely written, and so are damaged. They then end with a line end,
 * or begin with a complete record. A crash leaves no such bytes.
 */
const wasSaved = (rest: string, expected: LineBefore): boolean =>
  (rest.endsWith("\n") && parseJson(rest) !== undefined) ||
  [...rest.matchAll(/,"sum":"[0-9a-f]{8}"\}./gs)].some(
    ({ 0: end, index }) => typeof decodeLine(rest.slice(0, index + end.length - 1), expected) !== "string"
  )

/** The fields that the first record has in every version. */
const decodeHead = Schema.decodeUnknownOption(
  Schema.Struct({
    type: Schema.Literal("opened"),
    version: Schema.Number,
    program: Schema.optionalKey(Schema.String)
  })
)

/** The bytes of a journal, at most 512 MiB, and its intact lines. The first line must open a run. */
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
  const bytes = Buffer.from(yield* Effect.mapError(fs.readFile(path), unreadable))
  const read = readLines(bytes)
  const [first] = read.lines
  if (first === undefined) {
    /** A run that crashed during its first line has done nothing. */
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
  if (opened?.type === "opened") return { ...read, opened, bytes }
  return yield* fail({ _tag: "UnknownRecord", line: 1, kind: "opened", program })
})

/** Reads a whole journal. Fails if any part is damaged, except for a partial last line. */
export const readJournal = Effect.fn("readJournal")(function* (path: string) {
  const { bytes, expected, lines, opened, size, stop } = yield* readOpened(path)
  const { end, what } = stop ?? { end: bytes.length - 1, what: "shape" }
  const torn = bytes.subarray(size)
  const isTorn = end === bytes.length - 1 && what === "shape" && !wasSaved(torn.toString("utf8"), expected)
  if (!isTorn) return yield* new JournalError({ path, reason: { _tag: "Damaged", line: expected.seq, what } })
  const content: JournalContent = { opened, lines, size, torn }
  return content
})

/** The intact beginning of a journal, and the bytes after it. Fails if even the first record is damaged. */
export const readIntact = Effect.fn("readIntact")(function* (path: string) {
  const { bytes, lines, size } = yield* readOpened(path)
  const rest: Uint8Array = bytes.subarray(size)
  return { intact: lines.length, size, rest }
})
