/**
 * Reads only the beginning and the end of a journal, which is enough to list runs. The rest is not verified.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import { journalVersion, type RunOpened } from "../../domain/history/JournalRecord.ts"
import { firstSum, readRecord } from "../journal/JournalLine.ts"
import { decodeLine } from "../journal/SavedLine.ts"

/** What a journal begins and ends with. */
export interface JournalSummary {
  readonly opened: RunOpened
  /** ISO 8601. */
  readonly startedAt: string
  /** The status of the report that ends it; absent when something else does. */
  readonly status: string | undefined
  readonly bytes: number
}

const chunkBytes = 65_536
/** The first line holds the prompt and perhaps a plan. */
const mostFirstBytes = 4_194_304
/** A report can be long: it holds all results. */
const mostLastBytes = 67_108_864

const newline = 0x0a

const readAt = Effect.fnUntraced(function* (handle: FileSystem.File, from: number, length: number) {
  yield* handle.seek(BigInt(from), "start")
  return Option.getOrElse(yield* handle.readAlloc(length), () => new Uint8Array())
})

/** The first line as text; nothing when none ends within 4 MiB. */
const firstLine = Effect.fnUntraced(function* (handle: FileSystem.File) {
  let bytes = new Uint8Array()
  while (bytes.length < mostFirstBytes) {
    const more = yield* readAt(handle, bytes.length, chunkBytes)
    const end = more.indexOf(newline)
    const joined = Buffer.concat([bytes, end === -1 ? more : more.subarray(0, end)])
    if (end !== -1) return joined.toString("utf8")
    if (more.length === 0) return undefined
    bytes = joined
  }
  return undefined
})

/** How the last whole line begins. */
const lastLineStart = Effect.fnUntraced(function* (handle: FileSystem.File, size: number) {
  let end = size
  let isPastEnd = false
  while (end > 0 && size - end < mostLastBytes) {
    const from = Math.max(0, end - chunkBytes)
    const chunk = yield* readAt(handle, from, end - from)
    /* The newline that ends the last line is not the one before it, and what follows it is no whole line. */
    const before = chunk.subarray(0, isPastEnd ? chunk.length : Math.max(0, chunk.lastIndexOf(newline)))
    isPastEnd ||= chunk.includes(newline)
    const start = isPastEnd ? before.lastIndexOf(newline) : -1
    if (start !== -1 || from === 0) {
      return Buffer.from(yield* readAt(handle, from + start + 1, 1024)).toString("utf8")
    }
    end = from
  }
  return ""
})

const finished =
  /^\{"seq":\d+,"at":"[^"]*","record":\{"type":"event","event":\{"type":"run\.finished","exitCode":\d+,"report":\{"runId":"[^"]*","status":"([a-z_]+)"/

/** Looks at a journal; nothing when it does not begin as one of this version. */
export const readJournalSummary = Effect.fn("readJournalSummary")(
  function* (path: string) {
    const fs = yield* FileSystem.FileSystem
    /* Whoever opens a named pipe waits until somebody writes into it. */
    if ((yield* fs.stat(path)).type !== "File") return undefined
    const handle = yield* fs.open(path)
    const size = Number((yield* handle.stat).size)
    const text = yield* firstLine(handle)
    const line = text === undefined ? undefined : decodeLine(text, { seq: 1, before: firstSum })
    if (line === undefined || typeof line === "string") return undefined
    if (!line.json.startsWith(`{"type":"opened","version":${journalVersion},`)) return undefined
    const opened = readRecord(line)
    if (opened?.type !== "opened") return undefined
    const status = finished.exec(yield* lastLineStart(handle, size))?.[1]
    return { opened, startedAt: line.at, status, bytes: size } satisfies JournalSummary
  },
  Effect.scoped,
  Effect.orElseSucceed(() => undefined)
)
