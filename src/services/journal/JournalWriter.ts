/**
 * Appends to a journal. Records that come while the disk is busy are written together, with one flush for all,
 * and `append` returns when its record is on the disk. When the disk fails, a partly written record is cut off, nothing
 * more is written, and `failed` reports it.
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
  /** Returns when the record is on the disk; never returns once the journal has failed. */
  readonly append: (record: JournalRecord) => Effect.Effect<void>
  /** Enqueues the record, in order, and does not wait for the disk. */
  readonly enqueue: (record: JournalRecord) => Effect.Effect<void>
  /** Returns when all enqueued records are on the disk. */
  readonly flush: Effect.Effect<void>
  /** Fails as soon as the journal cannot be written; never succeeds. */
  readonly failed: Effect.Effect<never, JournalError>
}

/** What protects the records that are written. */
export interface JournalProtection extends Pick<LineProtection, "write"> {
  /** Proves who wrote them; `proof` is what is proven of the records that are there. */
  readonly seal?: { readonly key: SealKey; readonly proof: Proof }
}

/** A record that is to be written, or who waits until all before it are on the disk. */
type Entry = { readonly record: JournalRecord; readonly at: string } | { readonly written: Deferred.Deferred<void> }

const fileMode = 0o600

const writeFailed =
  (path: string, safe: number) =>
  (error: PlatformError): JournalError =>
    new JournalError({ path, reason: { _tag: "WriteFailed", code: codeOf(error), safe } })

/** What is on the disk: the last line, and the bytes that all take. */
const endOf = (content: JournalContent | undefined, mac: string): { readonly line: LineEnd; readonly size: number } => {
  const last = content?.lines.at(-1)
  return {
    line: { seq: last?.seq ?? 0, sum: last === undefined ? firstSum : sumIn(last.text), mac },
    size: content?.size ?? 0
  }
}

/**
 * Opens a journal to append: a new one, or the one that was read. It is open until the scope closes; the records that
 * were enqueued by then are written first.
 */
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

    /* A record that cannot be encoded is a defect of the program; it ends the run instead of making it wait. */
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
    /* Runs when the fiber below has ended: two writes at once would give two lines the same number. */
    yield* Effect.addFinalizer(() => writeWaiting)
    /* The records that were taken are written, even when the run is interrupted meanwhile. */
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
