/**
 * The work of cluster runs: each run and each phase of a task is a piece that any worker may claim. A claim starts a
 * numbered attempt, which ends if the worker sends no heartbeats. The store rejects writes for an attempt or a run that
 * has ended.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { RunReport } from "../../kit/runs.ts"
import type { DatabaseUnavailable } from "./DatabaseErrors.ts"
import { heartbeatSeconds, type WorkKind } from "./WorkQueues.ts"

/** A piece of work. `payload` is JSON text, which `ClusterTasks` encodes and decodes. */
export interface WorkItem {
  readonly key: string
  readonly kind: WorkKind
  readonly payload: string
}

/** The piece of work that leads a run from its order to its report. */
export const runPiece: WorkItem = { key: "run", kind: "run", payload: "{}" }

/** One attempt at a piece. Before each write, the store checks that the attempt is active. */
export interface WorkAttempt {
  readonly queue: string
  readonly id: string
  readonly attempt: number
}

/** An attempt, with the other data that a worker needs to write records for it. */
export interface Lease extends WorkAttempt {
  readonly runId: string
  readonly key: string
  readonly worker: string
  /** The id of the piece that leads the run. A run that is opened again gets a new leading piece. */
  readonly leader: string
  readonly priority: number
}

/** The range of priorities. Runs of a higher priority come first. Runs of equal priority take turns. */
export const priorities = { least: -100, most: 100 }
export const priorityStep = 10_000_000

/** Why workers cannot do a piece, by the name of the worker. */
export const Declined = Schema.Record(Schema.String, Schema.String)
export type Declined = typeof Declined.Type

/** A claimed piece. A worker that has declined it gets it again only after all live workers have declined it. */
export interface ClaimedWork extends WorkItem, Lease {
  /** The hash of the run's settings. It changes if the run is resumed with other settings. */
  readonly setup: string
  readonly declined: Declined
}

/** What a piece does now, and what it waits for. */
export interface PieceActivity {
  /** The running model calls, tool calls and checks. */
  readonly calls: Set<unknown>
  /** The hashes of unanswered questions. */
  readonly questions: Set<string>
  /** The pieces that this piece waits for, by key. The value is true if that piece is resting. */
  readonly pieces: Map<string, boolean>
}

export const newActivity = (): PieceActivity => ({ calls: new Set(), questions: new Set(), pieces: new Map() })

/**
 * What a piece waits for, if it only waits. Undefined if it waits for nothing, if a call is running, or if a piece that
 * it waits for does not rest.
 */
export const onlyWaitsFor = ({ calls, pieces, questions }: PieceActivity): Waiting | undefined =>
  calls.size > 0 || pieces.size + questions.size === 0 || [...pieces.values()].includes(false)
    ? undefined
    : { keys: [...pieces.keys()], questions: [...questions] }

/** The time by both clocks of this machine, in milliseconds. */
export interface ClockReading {
  readonly monotonic: number
  readonly wall: number
}

export const readClocks = Effect.map(Clock.Clock, (clock): ClockReading => ({
  monotonic: Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n),
  wall: clock.currentTimeMillisUnsafe()
}))

/**
 * How long ago a lease was renewed, in milliseconds. The longer time of two clocks counts, because each may show too
 * little. The monotonic clock stops while a laptop sleeps, and the wall clock may be set back.
 */
export const leaseAge = ({ renewedAt }: Pick<HeldLease, "renewedAt">, now: ClockReading): number =>
  Math.max(now.monotonic - renewedAt.monotonic, now.wall - renewedAt.wall)

/** A lease, with what its worker knows about it. */
export interface HeldLease extends ClaimedWork {
  /** Completes if the lease is lost. The store then rejects all writes with this lease. */
  readonly lost: Deferred.Deferred<void>
  /** Completes if a client cancels the run. */
  readonly cancelled: Deferred.Deferred<void>
  /** Makes this worker look for claimable pieces now. */
  readonly lookForWork: Effect.Effect<void>
  readonly activity: PieceActivity
  /** When the worker sent the last heartbeat to which the store replied. */
  renewedAt: ClockReading
  /** The report of the run, and the record of the report. The transaction that ends the run writes this record. */
  ended?: { readonly record: NewRecord; readonly report: RunReport }
}

/** The lease of the piece that the current fiber works on. */
export const CurrentLease: Context.Reference<HeldLease | undefined> = Context.Reference(
  "task-conductor/plugins/cluster/ClusterWork/CurrentLease",
  { defaultValue: (): HeldLease | undefined => undefined }
)

/** A record to write. The store keeps one record for each token, so it is harmless to write a record again. */
export interface NewRecord {
  readonly lease: WorkAttempt
  readonly token: string
  readonly at: string
  readonly type: string
  readonly key: string
  readonly event: string
  readonly json: string
}

/** A finished piece. `result` is JSON text. */
export interface FinishedWork {
  readonly lease: WorkAttempt
  readonly result: string
}

/** How many more pieces of each kind a worker can take. */
export type Capacity = Readonly<Record<WorkKind, number>>

/** A worker that claims pieces. `program` is its version and build. */
export interface Claimant {
  readonly name: string
  readonly program: string
}

/** What a worker reports about itself. `report` is a `WorkerReport` as JSON text. */
export interface Presence extends Claimant {
  readonly begunAt: string
  readonly report: string
}

/** How long an attempt lasts after a heartbeat, in milliseconds by the clock of the database. */
export const leaseTime = heartbeatSeconds * 1000

/** A question of a run. `question` is its hash. */
export interface RunQuestion {
  readonly runId: string
  readonly question: string
}

/** What a piece waits for: answers to questions, and the results of other pieces. */
export interface Waiting {
  readonly questions: ReadonlyArray<string>
  readonly keys: ReadonlyArray<string>
}

type Query<A> = Effect.Effect<A, DatabaseUnavailable>

export class ClusterWork extends Context.Service<
  ClusterWork,
  {
    /**
     * Claims pieces that have no worker, or whose worker sends no heartbeats. Their runs must match the worker's
     * version and build. Claims at most `capacity` pieces of each kind, in the order of the queue.
     */
    claim(worker: Claimant, capacity: Capacity): Query<ReadonlyArray<ClaimedWork>>
    /** Sends heartbeats, and what the worker reports about itself. Returns the leases that are still active. */
    renew(
      leases: ReadonlyArray<Lease>,
      presence?: Presence
    ): Query<ReadonlyArray<Lease & { readonly isCancelled: boolean }>>
    /** Returns a piece to its queue. `why` is given if this worker can never do the piece. */
    giveBack(lease: Lease, why?: string): Query<void>
    /**
     * Returns a piece to its queue because it only waits. The piece becomes claimable after an answer to a question of
     * its run, or when another piece of the run finishes. If that has already happened, it is claimable at once.
     */
    rest(lease: Lease, waiting: Waiting): Query<void>
    /**
     * Queues pieces of the run in this order, except for keys that are already queued. Returns false if the attempt is
     * not active.
     */
    offer(lease: Lease, pieces: ReadonlyArray<WorkItem>): Query<boolean>
    /**
     * Ends the run that this attempt leads, and writes its last record. Returns false if the run had ended or the
     * attempt is not active.
     */
    end(lease: Lease, ending: string, record?: NewRecord): Query<boolean>
    /**
     * Adds records to a run, in this order, and saves the results of finished pieces. Returns the tokens of the saved
     * records. Each token identifies one record.
     */
    append(
      runId: string,
      records: ReadonlyArray<NewRecord>,
      finished?: ReadonlyArray<FinishedWork>
    ): Query<ReadonlySet<string>>
    /**
     * The results of these pieces, by key. The value is undefined for a piece that rests, that is, waits in its queue
     * for answers or results. Other unfinished pieces have no entry.
     */
    results(lease: Lease, keys: ReadonlyArray<string>): Query<ReadonlyMap<string, string | undefined>>
    /** Saves the answer to a question, as JSON text. A second answer is ignored. */
    answer(runId: string, question: string, answer: string): Query<void>
    answers(questions: ReadonlyArray<RunQuestion>): Query<ReadonlyArray<RunQuestion & { readonly answer: string }>>
  }
>()("task-conductor/plugins/cluster/ClusterWork") {}
