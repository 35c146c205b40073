/**
 * Keeps the journal of a cluster run in the database, with the same records as a journal file. A worker reads the
 * records when it claims a piece, and afterwards only writes. If the store rejects a record, another worker has the
 * piece, and this worker stops working on it.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Queue from "effect/Queue"
import type * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { randomUUID } from "node:crypto"
import { UsageMeter } from "../../kit/models.ts"
import {
  holdsModelCalls,
  Journal,
  JournalError,
  type JournalReason,
  type JournalRecord,
  makeKnownWork,
  parseKey,
  readRecord,
  type RunReport
} from "../../kit/runs.ts"
import type { DatabaseUnavailable } from "./DatabaseErrors.ts"
import { ClusterRuns, encodeRecord, eventIn, keyIn } from "./ClusterRuns.ts"
import {
  ClusterWork,
  CurrentLease,
  type FinishedWork,
  type HeldLease,
  leaseAge,
  leaseTime,
  type NewRecord,
  type PieceActivity,
  readClocks
} from "./ClusterWork.ts"
import type { Secrets } from "./WithoutSecrets.ts"

/** A tool call starts only if the lease of its piece lasts for at least this many more milliseconds. */
const leastLeft = 4000

/**
 * How long a record waits for other records, so that several are written together. A record does not wait if it is a
 * question, or if a caller waits for it.
 */
const together = "1 second"

/**
 * Notes running calls and checks, during which a piece must not rest. A task runs one check at a time, so the name of
 * the task identifies the check.
 */
const noteActivity = ({ calls }: PieceActivity, record: JournalRecord): void => {
  if (record.type === "intent") calls.add(record.key)
  if (record.type === "outcome") calls.delete(record.key)
  if (record.type !== "event") return
  const { event } = record
  if (event.type === "check.started") calls.add(checkName(event))
  if (event.type === "check.finished") calls.delete(checkName(event))
}

const checkName = ({ round, task = "" }: { readonly round: number; readonly task?: string }): string =>
  `check of ${round}/${task}`

const isQuestion = (record: JournalRecord): boolean =>
  record.type === "event" && record.event.type === "approval.requested"

/** Waits until enough time is left in the lease to start a call. A lost lease interrupts the wait. */
const untilFresh = Effect.fnUntraced(function* (lease: HeldLease) {
  while (leaseAge(lease, yield* readClocks) > leaseTime - leastLeft) yield* Effect.sleep("100 millis")
})

/**
 * What the writer receives: a record, a finished piece, or only `written`. `written` completes when this entry and all
 * earlier ones are stored.
 */
interface Entry {
  readonly record?: NewRecord
  readonly finished?: FinishedWork
  readonly lease?: HeldLease
  readonly written?: Deferred.Deferred<void>
}

/** What a worker needs from the journal in addition to the service `Journal`. */
export class ClusterJournal extends Context.Service<
  ClusterJournal,
  {
    /** Reads new records, and allows writes with this lease until the scope closes. */
    join(lease: HeldLease): Effect.Effect<void, DatabaseUnavailable, Scope.Scope>
    /**
     * Saves the result of a piece, which is JSON text, after all earlier records. Returns false if the journal has
     * failed.
     */
    finish(lease: HeldLease, result: string): Effect.Effect<boolean>
    /** Waits until all earlier records are written. Returns false if the journal has failed. */
    readonly flush: Effect.Effect<boolean>
  }
>()("task-conductor/plugins/cluster/ClusterJournal") {}

interface ClusterJournalOptions {
  readonly runId: string
  readonly secrets: Secrets
  /** Called if the database was unavailable for too long. */
  readonly broken: (error: DatabaseUnavailable) => Effect.Effect<void>
}

const reportIn = (record: JournalRecord): RunReport | undefined =>
  record.type === "event" && record.event.type === "run.finished" ? record.event.report : undefined

/**
 * True for the outcome of a task. No caller waits until this record is saved, because the result of the task's piece
 * contains the outcome too.
 */
const isSafeElsewhere = (record: JournalRecord): boolean =>
  record.type === "settled" && parseKey(record.key)?.task !== undefined

/** Writes the queued entries. First waits for more entries, unless a caller waits or `writeNow` ends the pause. */
const makeWriter = Effect.fnUntraced(function* (
  { broken, runId }: Pick<ClusterJournalOptions, "broken" | "runId">,
  fail: (reason: JournalReason) => Effect.Effect<unknown>
) {
  const work = yield* ClusterWork
  const queue = yield* Queue.unbounded<Entry>()
  let hurry = yield* Deferred.make<void>()

  const write = Effect.fnUntraced(function* (entries: ReadonlyArray<Entry>) {
    const records = entries.flatMap(({ record }) => record ?? [])
    const finished = entries.flatMap((entry) => entry.finished ?? [])
    const written = records.length + finished.length === 0 ? new Set() : yield* work.append(runId, records, finished)
    for (const { lease, record, written: done } of entries) {
      if (record !== undefined && !written.has(record.token)) {
        if (lease !== undefined) yield* Deferred.succeed(lease.lost, undefined)
      } else if (done !== undefined) yield* Deferred.succeed(done, undefined)
    }
  })

  const writeNext = Effect.gen(function* () {
    const entries = [yield* Queue.take(queue), ...(yield* Queue.clear(queue))]
    if (entries.every(({ written }) => written === undefined)) {
      yield* Effect.raceFirst(Effect.sleep(together), Deferred.await(hurry))
      entries.push(...(yield* Queue.clear(queue)))
    }
    hurry = yield* Deferred.make<void>()
    yield* Effect.catch(write(entries), (error) =>
      error.isFault === true ? fail({ _tag: "DatabaseFailed", what: error.what }) : broken(error)
    )
  })
  yield* Effect.forkScoped(Effect.forever(writeNext))

  const writeNow = Effect.suspend(() => Deferred.succeed(hurry, undefined))

  const put = Effect.fnUntraced(function* (entry: Entry) {
    yield* Queue.offer(queue, entry)
    if (entry.written === undefined) return
    yield* writeNow
    yield* Deferred.await(entry.written)
  })

  return { put, writeNow }
})

/** The entry for a record, without secrets. A fiber without a lease uses any lease that this worker has for the run. */
const entryOf = Effect.fnUntraced(function* (
  record: JournalRecord,
  leases: ReadonlySet<HeldLease>,
  redact: ClusterJournalOptions["secrets"]["redact"]
): Effect.fn.Return<Entry> {
  const report = reportIn(record)
  const current = yield* CurrentLease
  const possible = current === undefined ? [...leases].toReversed() : [current, ...leases]
  const lease = report === undefined ? possible[0] : possible.find(({ kind }) => kind === "run")
  if (lease === undefined) return {}
  const entry = {
    lease: { queue: lease.queue, id: lease.id, attempt: lease.attempt },
    token: randomUUID(),
    at: DateTime.formatIso(yield* DateTime.now),
    type: record.type,
    key: keyIn(record),
    event: eventIn(record),
    json: JSON.stringify(redact(encodeRecord(record) as Schema.Json))
  }
  if (report === undefined) return { lease, record: entry }
  /*
   * The report of an interrupted worker does not end the run, because another worker continues it. Such a report counts
   * only if a client has cancelled the run.
   */
  if (report.status !== "interrupted" || (yield* Deferred.isDone(lease.cancelled))) {
    lease.ended = { record: entry, report }
  }
  return {}
})

/**
 * The journal of this run, saved without secrets. If the outcome of a model call contains secrets, this worker keeps
 * the whole outcome in memory.
 */
export const layerClusterJournal = ({
  broken,
  runId,
  secrets: { redact, whole }
}: ClusterJournalOptions): Layer.Layer<Journal | ClusterJournal, never, ClusterRuns | ClusterWork> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const runs = yield* ClusterRuns
      const failed = yield* Deferred.make<never, JournalError>()
      const savedWork = makeKnownWork()
      const leases = new Set<HeldLease>()
      let seen = 0

      const fail = (reason: JournalReason) =>
        Deferred.fail(failed, new JournalError({ path: `of the run ${runId}`, reason }))
      const { put, writeNow } = yield* makeWriter({ broken, runId }, fail)

      const enqueue = Effect.fnUntraced(function* (record: JournalRecord) {
        const entry = yield* entryOf(record, leases, redact)
        if (entry.lease !== undefined) noteActivity(entry.lease.activity, record)
        yield* put(entry)
        if (isQuestion(record)) yield* writeNow
      })

      const append = Effect.fnUntraced(function* (record: JournalRecord) {
        if (isSafeElsewhere(record)) return yield* enqueue(record)
        const entry = yield* entryOf(record, leases, redact)
        if (entry.lease !== undefined) noteActivity(entry.lease.activity, record)
        if (record.type === "intent" && entry.lease !== undefined) yield* untilFresh(entry.lease)
        yield* put({ ...entry, written: yield* Deferred.make<void>() })
        if (record.type === "intent" && entry.lease !== undefined) yield* untilFresh(entry.lease)
      })

      const journal = Journal.of({
        saved: (type, key) =>
          Effect.sync(() => {
            const value = savedWork.saved(type, key)
            const line = savedWork.line(type, key)
            if (type === "answer" || Option.isSome(value) || line === undefined) return value
            const record = readRecord(line)
            return record !== undefined && "value" in record
              ? Option.fromUndefinedOr(whole.find(runId, `${type}/${key}`, record.value))
              : Option.none()
          }),
        uncertain: (key) => Effect.sync(() => savedWork.uncertain(key)),
        append: (record) => {
          if ((record.type === "outcome" || record.type === "settled") && holdsModelCalls(record.key)) {
            whole.keep(runId, `${record.type}/${record.key}`, record.value)
          }
          return append(record)
        },
        enqueue,
        unreadable: (kind) =>
          Effect.andThen(fail({ _tag: "UnknownRecord", line: 0, kind, program: "of another version" }), Effect.never),
        failed: Deferred.await(failed)
      })

      const join = Effect.fn("ClusterJournal.join")(function* (lease: HeldLease) {
        const lines = yield* runs.known(runId, seen)
        seen = lines.at(-1)?.seq ?? seen
        savedWork.add(lines)
        yield* Effect.acquireRelease(
          Effect.sync(() => leases.add(lease)),
          () => Effect.sync(() => leases.delete(lease))
        )
      })

      const tryToWrite = Effect.fnUntraced(function* (entry: Entry) {
        const writing = put({ ...entry, written: yield* Deferred.make<void>() })
        return yield* Effect.raceFirst(
          Effect.as(writing, true),
          Effect.orElseSucceed(Deferred.await(failed), () => false)
        )
      })
      const finish = (lease: HeldLease, result: string) => tryToWrite({ finished: { lease, result } })
      return Context.make(Journal, journal).pipe(Context.add(ClusterJournal, { finish, flush: tryToWrite({}), join }))
    })
  )

/** The usage of a run, computed from the events of all workers. `begunAt` is in ISO 8601. */
export const layerClusterUsage = (
  runId: string,
  begunAt: string
): Layer.Layer<UsageMeter, never, ClusterRuns | ClusterJournal> =>
  Layer.effect(
    UsageMeter,
    Effect.gen(function* () {
      const runs = yield* ClusterRuns
      const { flush } = yield* ClusterJournal
      return UsageMeter.of({
        modelCall: () => Effect.void,
        toolCall: Effect.void,
        total: Effect.gen(function* () {
          yield* flush
          const used = yield* Effect.orDie(runs.usage(runId))
          return { ...used, durationMs: (yield* Clock.currentTimeMillis) - Date.parse(begunAt) }
        })
      })
    })
  )
