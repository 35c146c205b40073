/**
 * Appends records to a journal. Records that arrive while the disk is busy are written together, with one flush. If the
 * disk fails, a partly written record is removed, and writing stops.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import type { PlatformError } from "effect/PlatformError"
import * as Queue from "effect/Queue"
import type { JournalRecord } from "../../domain/journal/JournalRecord.ts"
import { JournalError } from "./JournalError.ts"
import { encodeLine, firstSum, type LineEnd, type LineProtection, sumIn } from "./JournalLine.ts"
import type { JournalContent } from "./JournalReader.ts"
import { cutOffTorn, syncFolder } from "./JournalEnd.ts"
import { newProof, type Proof, type SealKey } from "./JournalSeal.ts"
import { codeOf } from "../files/FileFailure.ts"

export interface JournalWriter {
  /** Returns when the record is on disk. Never returns if the journal has failed. */
  readonly append: (record: JournalRecord) => Effect.Effect<void>
  /** Adds the record to the queue without waiting. */
  readonly enqueue: (record: JournalRecord) => Effect.Effect<void>
  /** Returns when the whole queue is on disk. */
  readonly flush: Effect.Effect<void>
  /** Fails as soon as the journal cannot be written. Never succeeds. */
  readonly failed: Effect.Effect<never, JournalError>
}

/** How the journal keeps secrets out of its records, and proves who wrote them. */
export interface JournalProtection extends Pick<LineProtection, "write"> {
  /** Proves who wrote the records: `key` for new records, `proof` for the existing ones. */
  readonly seal?: { readonly key: SealKey; readonly proof: Proof }
}

/** A record to write, or a caller that waits for all records before it. */
type Entry = { readonly record: JournalRecord; readonly at: string } | { readonly written: Deferred.Deferred<void> }

const fileMode = 0o600

const writeFailed =
  (path: string, safe: number) =>
  (error: PlatformError): JournalError =>
    new JournalError({ path, reason: { _tag: "WriteFailed", code: codeOf(error), safe } })

/** The end of the journal on disk: its last line, and its size in bytes. */
const endOf = (content: JournalContent | undefined, mac: string): { readonly line: LineEnd; readonly size: number } => {
  const last = content?.lines.at(-1)
  return {
    line: { seq: last?.seq ?? 0, sum: last === undefined ? firstSum : sumIn(last.text), mac },
    size: content?.size ?? 0
  }
}

/** Opens a new or an existing journal for appending. When the scope closes, writes the queue and closes the file. */
export const openJournal = Effect.fn("openJournal")(
  function* (path: string, content: JournalContent | undefined, { seal, write }: JournalProtection = {}) {
    const fs = yield* FileSystem.FileSystem
    if (content !== undefined) yield* cutOffTorn(path, content)
    const handle = yield* fs.open(path, { flag: content === undefined ? "ax" : "a", mode: fileMode })
    if (content === undefined) yield* syncFolder(path)
    const failure = yield* Deferred.make<never, JournalError>()
    const waiting = yield* Queue.unbounded<Entry>()
    let end = endOf(content, (seal?.proof ?? newProof).next)
    let isBroken = false

    /**
     * Ends writing after a failure. A record that cannot be encoded is a defect of the program, so the run must end
     * instead of waiting.
     */
    const breakOff = Effect.fnUntraced(function* (cause: Cause.Cause<PlatformError>) {
      isBroken = true
      yield* Effect.ignore(Effect.andThen(handle.truncate(end.size), handle.sync))
      yield* Deferred.failCause(failure, Cause.map(cause, writeFailed(path, end.line.seq)))
    })

    const writeAll = Effect.fnUntraced(function* (entries: ReadonlyArray<Entry>) {
      if (isBroken) return
      let { line } = end
      let text = ""
      for (const entry of entries) {
        if ("written" in entry) continue
        const next = encodeLine(entry.record, entry.at, line, { write, key: seal?.key })
        text += next.text
        line = next
      }
      if (text !== "") {
        const bytes = new TextEncoder().encode(text)
        yield* handle.writeAll(bytes)
        yield* handle.sync
        end = { line, size: end.size + bytes.length }
      }
      for (const entry of entries) if ("written" in entry) yield* Deferred.succeed(entry.written, undefined)
    }, Effect.catchCause(breakOff))

    const writeWaiting = Effect.flatMap(Queue.clear(waiting), writeAll)
    /** Runs after the fiber below has ended, because two writers at once would give two lines the same number. */
    yield* Effect.addFinalizer(() => writeWaiting)
    /**
     * Writes the waiting records. If the run is interrupted after records were taken from the queue, they are still
     * written.
     */
    const next = Effect.uninterruptibleMask((restore) => Effect.andThen(restore(Queue.peek(waiting)), writeWaiting))
    yield* Effect.forkScoped(Effect.forever(next))

    const enqueue = (record: JournalRecord) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        Queue.offerUnsafe(waiting, { record, at: new Date(now).toISOString() })
      })
    const flush = Effect.suspend(() => {
      const written = Deferred.makeUnsafe<void>()
      Queue.offerUnsafe(waiting, { written })
      return Deferred.await(written)
    })
    const writer: JournalWriter = {
      append: (record) => Effect.andThen(enqueue(record), flush),
      enqueue,
      flush,
      failed: Deferred.await(failure)
    }
    return writer
  },
  (effect, path: string, content: JournalContent | undefined, _protection?: JournalProtection) =>
    Effect.catchTag(effect, "PlatformError", (error) =>
      Effect.fail(writeFailed(path, content?.lines.length ?? 0)(error))
    )
)
