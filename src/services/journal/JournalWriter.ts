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
import type { JournalRecord } from "../../domain/history/JournalRecord.ts"
import { JournalError } from "./JournalError.ts"
import { firstSum } from "./JournalLine.ts"
import { LineBytes, type LineProtection } from "./LineBytes.ts"
import type { JournalContent } from "./JournalReader.ts"
import { newProof, type Proof, type SealKey } from "./JournalSeal.ts"
import { quarantine, syncFolder } from "./Quarantine.ts"
import { codeOf } from "../files/FileFailure.ts"

export interface JournalWriter {
  /** Returns when the record is on the disk; never returns once the journal has failed. */
  readonly append: (record: JournalRecord) => Effect.Effect<void>
  /** Enqueues the record, in order, and does not wait for the disk. */
  readonly tell: (record: JournalRecord) => Effect.Effect<void>
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

/** Records that are written together, and who waits for that. */
interface Batch {
  readonly records: Array<{ readonly record: JournalRecord; readonly at: string }>
  written?: Deferred.Deferred<void>
}

/** The number of records that are on the disk, and the bytes that they take. */
interface End {
  readonly seq: number
  readonly size: number
}

const fileMode = 0o600
const lineEnd = new TextEncoder().encode("\n")

const writeFailed =
  (path: string, safe: number) =>
  (error: PlatformError): JournalError =>
    new JournalError({ path, reason: { _tag: "WriteFailed", code: codeOf(error), safe } })

/** Quarantines and cuts off what a crash left behind the last whole line, and repairs damaged line ends. */
const repairEnd = Effect.fnUntraced(function* (path: string, { badEnds, lines, size, torn }: JournalContent) {
  if (torn.length === 0 && badEnds.length === 0) return
  const fs = yield* FileSystem.FileSystem
  if (torn.length > 0) yield* quarantine(`${path}.torn-${lines.length + 1}`, torn)
  const handle = yield* fs.open(path, { flag: "r+" })
  for (const end of badEnds) {
    yield* handle.seek(BigInt(end), "start")
    yield* handle.writeAll(lineEnd)
  }
  yield* handle.truncate(size)
  yield* handle.sync
}, Effect.scoped)

const endOf = (content: JournalContent | undefined): End => ({
  seq: content?.lines.length ?? 0,
  size: content?.size ?? 0
})

/**
 * Opens a journal to append: a new one, or the one that was read. It is open until the scope closes; the records that
 * were enqueued by then are written first.
 */
export const openJournal = Effect.fn("openJournal")(
  function* (path: string, content: JournalContent | undefined, protection: JournalProtection = {}) {
    const fs = yield* FileSystem.FileSystem
    if (content !== undefined) yield* repairEnd(path, content)
    const handle = yield* fs.open(path, { flag: content === undefined ? "ax" : "a", mode: fileMode })
    if (content === undefined) yield* syncFolder(path)
    const clock = yield* Clock.Clock
    const failure = yield* Deferred.make<never, JournalError>()
    let end = endOf(content)
    const lines = new LineBytes(
      {
        seq: end.seq,
        sum: content?.lines.at(-1)?.sum ?? firstSum,
        mac: (protection.seal?.proof ?? newProof).next
      },
      { ...protection, key: protection.seal?.key }
    )
    let isBroken = false
    let waiting: Batch = { records: [] }
    /** Is done when there is something to write again. */
    let idle: Deferred.Deferred<void> | undefined

    /* A record that cannot be encoded is a defect of the program; it ends the run instead of making it wait. */
    const breakOff = Effect.fnUntraced(function* (cause: Cause.Cause<PlatformError>) {
      isBroken = true
      yield* Effect.ignore(Effect.andThen(handle.truncate(end.size), handle.sync))
      yield* Deferred.failCause(failure, Cause.map(cause, writeFailed(path, end.seq)))
    })

    const write = Effect.fnUntraced(function* ({ records, written }: Batch) {
      if (isBroken) return
      for (const { at, record } of records) lines.add(record, at)
      const bytes = lines.take()
      if (bytes.length > 0) {
        yield* handle.writeAll(bytes)
        yield* handle.sync
        end = { seq: lines.end.seq, size: end.size + bytes.length }
      }
      if (written !== undefined) yield* Deferred.succeed(written, undefined)
    }, Effect.catchCause(breakOff))

    const take = Effect.suspend(() => {
      const batch = waiting
      waiting = { records: [] }
      return write(batch)
    })
    /* What comes in the same turn is written together. */
    const someWaiting = Effect.suspend(() => {
      if (waiting.records.length > 0 || waiting.written !== undefined) return Effect.void
      idle = Deferred.makeUnsafe<void>()
      return Effect.andThen(Deferred.await(idle), Effect.yieldNow)
    })
    /* Runs when the fiber below has ended: two writes at once would give two lines the same number. */
    yield* Effect.addFinalizer(() => take)
    /* The records that were taken are written, even when the run is interrupted meanwhile. */
    const next = Effect.uninterruptibleMask((restore) => Effect.andThen(restore(someWaiting), take))
    yield* Effect.forkScoped(Effect.forever(next))

    const wake = (): void => {
      const sleeping = idle
      idle = undefined
      if (sleeping !== undefined) Deferred.doneUnsafe(sleeping, Effect.void)
    }
    const enqueue = (record: JournalRecord): void => {
      waiting.records.push({ record, at: new Date(clock.currentTimeMillisUnsafe()).toISOString() })
      wake()
    }
    const untilWritten = (): Effect.Effect<void> => {
      waiting.written ??= Deferred.makeUnsafe<void>()
      const written = Deferred.await(waiting.written)
      wake()
      return written
    }
    const writer: JournalWriter = {
      append: (record) =>
        Effect.suspend(() => {
          enqueue(record)
          return untilWritten()
        }),
      tell: (record) => Effect.sync(() => enqueue(record)),
      flush: Effect.suspend(untilWritten),
      failed: Deferred.await(failure)
    }
    return writer
  },
  (effect, path: string, content: JournalContent | undefined, _protection?: JournalProtection) =>
    Effect.catchTag(effect, "PlatformError", (error) => Effect.fail(writeFailed(path, endOf(content).seq)(error)))
)
