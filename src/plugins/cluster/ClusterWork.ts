/**
 * The work of cluster runs. Each run, and each phase of a task, is a piece of work that any worker may claim. A claim starts an
 * attempt, with a number that no other attempt at this piece has. An attempt ends when its worker sends no heartbeats. Every write
 * of a worker names its attempt. The store rejects the write when that attempt is no longer active or its run has ended.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { RunReport } from "../../kit/runs.ts"
import type { DatabaseUnavailable } from "./DatabaseErrors.ts"
import { heartbeatSeconds, type WorkKind } from "./WorkQueues.ts"

/** A piece of work. `payload` is JSON text that `ClusterTasks` encodes and decodes. */
export interface WorkItem {
  readonly key: string
  readonly kind: WorkKind
  readonly payload: string
}

/** The piece that leads the run from its order to its report. */
export const runPiece: WorkItem = { key: "run", kind: "run", payload: "{}" }

/** One attempt at a piece. Each write for the piece is checked against it. */
export interface WorkAttempt {
  readonly queue: string
  readonly id: string
  readonly attempt: number
}

/** An attempt with what a worker needs to write for it. */
export interface Lease extends WorkAttempt {
  readonly runId: string
  readonly key: string
  readonly worker: string
  /** The id of the piece that leads the run. Reopening a run gives it a new one. */
  readonly leader: string
  readonly priority: number
}

/** Runs of a higher priority come first. Runs of equal priority take turns. */
export const priorities = { least: -100, most: 100 }
export const priorityStep = 10_000_000

/** By the name of a worker: why it cannot do a piece. */
export const Declined = Schema.Record(Schema.String, Schema.String)
export type Declined = typeof Declined.Type

/** A piece that a worker has claimed. A worker gets a piece that it declined again only when all live workers declined it. */
export interface ClaimedWork extends WorkItem, Lease {
  /** Hash of the settings of the run. It changes when the run is reopened with other settings. */
  readonly setup: string
  readonly declined: Declined
}

/** What a piece is doing in its worker, and what it waits for. */
export interface PieceActivity {
  /** Model calls, tool calls and checks that are running. */
  readonly calls: Set<unknown>
  /** Questions without an answer, by their hashes. */
  readonly questions: Set<string>
  /** Other pieces that this one waits for, by their keys; true when that piece rests. */
  readonly pieces: Map<string, boolean>
}

export const newActivity = (): PieceActivity => ({ calls: new Set(), questions: new Set(), pieces: new Map() })

/** What a piece waits for, if it only waits: it runs no calls itself, and all pieces that it waits for rest. */
export const onlyWaitsFor = ({ calls, pieces, questions }: PieceActivity): Waiting | undefined =>
  calls.size > 0 || pieces.size + questions.size === 0 || [...pieces.values()].includes(false)
    ? undefined
    : { keys: [...pieces.keys()], questions: [...questions] }

/** The time on both clocks of this machine, in milliseconds. */
export interface ClockReading {
  readonly monotonic: number
  readonly wall: number
}

export const readClocks = Effect.map(Clock.Clock, (clock): ClockReading => ({
  monotonic: Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n),
  wall: clock.currentTimeMillisUnsafe()
}))

/**
 * How long ago a lease was renewed, in milliseconds, by the clock that counted more. The monotonic clock stops while a laptop sleeps,
 * and somebody may set the wall clock. A wall clock set back extends no lease; one set forward only causes an early renewal.
 */
export const leaseAge = ({ renewedAt }: Pick<HeldLease, "renewedAt">, now: ClockReading): number =>
  Math.max(now.monotonic - renewedAt.monotonic, now.wall - renewedAt.wall)

/** A lease in the worker that holds it. */
export interface HeldLease extends ClaimedWork {
  /** Completes when the lease is lost. The store rejects all later writes. */
  readonly lost: Deferred.Deferred<void>
  /** Completes when a client cancels the run. */
  readonly cancelled: Deferred.Deferred<void>
  /** Makes this worker look for free work now. */
  readonly lookForWork: Effect.Effect<void>
  readonly activity: PieceActivity
  /** When the worker sent the last renewal that was answered. */
  renewedAt: ClockReading
  /** The report of the run and its record. The record is written in the transaction that ends the run. */
  ended?: { readonly record: NewRecord; readonly report: RunReport }
}

/** The lease of the piece that the current fiber works on. */
export const CurrentLease: Context.Reference<HeldLease | undefined> = Context.Reference(
  "task-conductor/plugins/cluster/ClusterWork/CurrentLease",
  { defaultValue: (): HeldLease | undefined => undefined }
)

/** A record to write. Its token makes repeated writes harmless: the store keeps one record for each token. */
export interface NewRecord {
  readonly lease: WorkAttempt
  readonly token: string
  readonly at: string
  readonly type: string
  readonly key: string
  readonly event: string
  readonly json: string
}

/** A finished piece; `result` is JSON text. */
export interface FinishedWork {
  readonly lease: WorkAttempt
  readonly result: string
}

/** How many more pieces of each kind a worker can take. */
export type Capacity = Readonly<Record<WorkKind, number>>

/** A worker that claims work; `program` is its version and build. */
export interface Claimant {
  readonly name: string
  readonly program: string
}

/** What a worker reports about itself; `report` is JSON text of a `WorkerReport`. */
export interface Presence extends Claimant {
  readonly begunAt: string
  readonly report: string
}

/** How long an attempt lasts after a heartbeat, in milliseconds, by the clock of the database. */
export const leaseTime = heartbeatSeconds * 1000

/** A question of a run; `question` is its hash. */
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
    /** Claims free pieces of runs of this program, and pieces without heartbeats. At most `capacity` of each kind, in queue order. */
    claim(worker: Claimant, capacity: Capacity): Query<ReadonlyArray<ClaimedWork>>
    /** Sends the heartbeats of attempts, with the presence of their worker. Returns the leases that are still active. */
    renew(
      leases: ReadonlyArray<Lease>,
      presence?: Presence
    ): Query<ReadonlyArray<Lease & { readonly isCancelled: boolean }>>
    /** Returns a piece to its queue. `why` is given when this worker can never do it. */
    giveBack(lease: Lease, why?: string): Query<void>
    /**
     * Returns a piece that only waits. No worker can claim it until somebody answers a question of its run, or a piece of that run is
     * finished. If that has happened already, the piece is free at once.
     */
    rest(lease: Lease, waiting: Waiting): Query<void>
    /** Queues other pieces of the run, in this order. Skips keys that are queued already. False when the attempt is not active. */
    offer(lease: Lease, pieces: ReadonlyArray<WorkItem>): Query<boolean>
    /** Ends the run that this attempt leads, and writes its last record. False when the run had ended or the attempt is not active. */
    end(lease: Lease, ending: string, record?: NewRecord): Query<boolean>
    /** Appends records to a run, in this order, and saves the results of finished pieces. Returns the tokens of the records that are saved. */
    append(
      runId: string,
      records: ReadonlyArray<NewRecord>,
      finished?: ReadonlyArray<FinishedWork>
    ): Query<ReadonlySet<string>>
    /** The results of these pieces of the run, by key: `undefined` for a piece that rests, no entry for a piece at work. */
    results(lease: Lease, keys: ReadonlyArray<string>): Query<ReadonlyMap<string, string | undefined>>
    /** Saves the answer to a question as JSON text. A later answer to the same question is ignored. */
    answer(runId: string, question: string, answer: string): Query<void>
    answers(questions: ReadonlyArray<RunQuestion>): Query<ReadonlyArray<RunQuestion & { readonly answer: string }>>
  }
>()("task-conductor/plugins/cluster/ClusterWork") {}
