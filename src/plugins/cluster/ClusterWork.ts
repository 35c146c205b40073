/**
 * The work of cluster runs. Each run is a piece of work, and so is each phase of a task. Any worker may claim a piece.
 * A claim starts an attempt with its own number. If the worker sends no heartbeats, the attempt ends. Every write of a
 * worker names its attempt. The store rejects the write if the attempt is no longer active or the run has ended.
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

/** One attempt at a piece. Before each write for the piece, the store checks that the attempt is active. */
export interface WorkAttempt {
  readonly queue: string
  readonly id: string
  readonly attempt: number
}

/** An attempt, with what a worker needs to write for it. */
export interface Lease extends WorkAttempt {
  readonly runId: string
  readonly key: string
  readonly worker: string
  /** The id of the piece that leads the run. The run gets another leading piece when it is opened again. */
  readonly leader: string
  readonly priority: number
}

/** The range of priorities. Runs of a higher priority come first. Runs of equal priority take turns. */
export const priorities = { least: -100, most: 100 }
export const priorityStep = 10_000_000

/** Why workers cannot do a piece. Each key is the name of a worker, and its value is the reason. */
export const Declined = Schema.Record(Schema.String, Schema.String)
export type Declined = typeof Declined.Type

/**
 * A piece that a worker has claimed. If the worker declined this piece before, it gets the piece again only after all
 * live workers have declined it.
 */
export interface ClaimedWork extends WorkItem, Lease {
  /** The hash of the settings of the run. The hash changes if the run is opened again with other settings. */
  readonly setup: string
  readonly declined: Declined
}

/** What a piece does in its worker at the moment, and what it waits for. */
export interface PieceActivity {
  /** The model calls, tool calls and checks that are running. */
  readonly calls: Set<unknown>
  /** The hashes of questions that have no answer yet. */
  readonly questions: Set<string>
  /** The pieces that this piece waits for, by key. The value is true if the piece with this key rests. */
  readonly pieces: Map<string, boolean>
}

export const newActivity = (): PieceActivity => ({ calls: new Set(), questions: new Set(), pieces: new Map() })

/**
 * What a piece waits for, if it only waits. Undefined if it waits for nothing, if one of its calls is running, or if a
 * piece that it waits for does not rest.
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
 * How long ago a lease was renewed, in milliseconds. Two clocks measure this time, and the longer time counts. The
 * monotonic clock does not count the time in which a laptop sleeps. The wall clock may be set back, and this must not
 * extend a lease. If it is set forward, the lease only seems older than it is.
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
  /**
   * The report of the run, and the record that contains it. The record is written in the transaction that ends the run.
   */
  ended?: { readonly record: NewRecord; readonly report: RunReport }
}

/** The lease of the piece that the current fiber works on. */
export const CurrentLease: Context.Reference<HeldLease | undefined> = Context.Reference(
  "task-conductor/plugins/cluster/ClusterWork/CurrentLease",
  { defaultValue: (): HeldLease | undefined => undefined }
)

/** A record to write. The store keeps only one record for each token, so it is harmless to write a record again. */
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

/** How long an attempt lasts after a heartbeat, in milliseconds. The clock of the database measures this time. */
export const leaseTime = heartbeatSeconds * 1000

/** A question of a run. `question` is the hash of the question. */
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
     * Claims pieces that no worker has, and pieces whose worker sends no heartbeats. The program of this worker must
     * fit their runs. Claims at most `capacity` of each kind, in the order of the queue.
     */
    claim(worker: Claimant, capacity: Capacity): Query<ReadonlyArray<ClaimedWork>>
    /**
     * Sends the heartbeats of attempts, and reports that their worker is alive. Returns those leases that are still
     * active.
     */
    renew(
      leases: ReadonlyArray<Lease>,
      presence?: Presence
    ): Query<ReadonlyArray<Lease & { readonly isCancelled: boolean }>>
    /** Returns a piece to its queue. If this worker can never do the piece, `why` is the reason. */
    giveBack(lease: Lease, why?: string): Query<void>
    /**
     * Returns a piece that only waits. Workers can claim it again after an answer to a question of its run, or after
     * another piece of the run finishes. If the piece waits for something that has already happened, workers can claim
     * it at once.
     */
    rest(lease: Lease, waiting: Waiting): Query<void>
    /**
     * Queues further pieces of the run, in this order. Keys that are already queued are skipped. Returns false if the
     * attempt is not active.
     */
    offer(lease: Lease, pieces: ReadonlyArray<WorkItem>): Query<boolean>
    /**
     * Ends the run that this attempt leads, and writes the last record of the run. Returns false if the run had already
     * ended, or if the attempt is not active.
     */
    end(lease: Lease, ending: string, record?: NewRecord): Query<boolean>
    /**
     * Adds records to a run, in this order, and saves the results of finished pieces. Returns the tokens of those
     * records that are saved.
     */
    append(
      runId: string,
      records: ReadonlyArray<NewRecord>,
      finished?: ReadonlyArray<FinishedWork>
    ): Query<ReadonlySet<string>>
    /**
     * The results of these pieces of the run, by key. The value is undefined for a piece that rests. A piece that is in
     * progress has no entry.
     */
    results(lease: Lease, keys: ReadonlyArray<string>): Query<ReadonlyMap<string, string | undefined>>
    /** Saves the answer to a question as JSON text. A second answer to the same question is ignored. */
    answer(runId: string, question: string, answer: string): Query<void>
    answers(questions: ReadonlyArray<RunQuestion>): Query<ReadonlyArray<RunQuestion & { readonly answer: string }>>
  }
>()("task-conductor/plugins/cluster/ClusterWork") {}
