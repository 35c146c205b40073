/**
 * The work of cluster runs: each run, and each phase of a task, is a piece that any worker may claim. A claim is an attempt at the
 * piece: it has a number that no other attempt at it ever has, and ends unless its worker sends heartbeats. Whatever a worker writes
 * names its attempt, and nothing is written for one that is not the active one, or whose run has ended.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import type * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { RunReport } from "../../kit/runs.ts"
import type { DatabaseUnavailable } from "./DatabaseErrors.ts"
import { heartbeatSeconds, type WorkKind } from "./WorkQueues.ts"

/** What is to be done. `payload` is JSON text. */
export interface WorkItem {
  readonly key: string
  readonly kind: WorkKind
  readonly payload: string
}

/** The piece that is the run itself. */
export const runPiece: WorkItem = { key: "run", kind: "run", payload: "{}" }

/** One attempt at a piece, by which everything that is written for it is checked. */
export interface WorkAttempt {
  readonly queue: string
  readonly id: string
  readonly attempt: number
}

/** What a worker writes with. */
export interface Lease extends WorkAttempt {
  readonly runId: string
  readonly key: string
  readonly worker: string
  /** The id of the piece that leads the run, another one each time the run is opened. */
  readonly leader: string
  readonly priority: number
}

/** Runs of a higher priority come first; within one, each run takes turns with the others. */
export const priorities = { least: -100, most: 100 }
export const priorityStep = 10_000_000

/** What each worker lacks for a piece, by its name. */
export const Declined = Schema.Record(Schema.String, Schema.String)
export type Declined = typeof Declined.Type

/** A piece that a worker has. It has declined it before only when every worker that is there has. */
export interface ClaimedWork extends WorkItem, Lease {
  /** Is another one when the run was opened again with other settings. */
  readonly setup: string
  readonly declined: Declined
}

/** What a piece does and waits for in its worker. */
export interface PieceActivity {
  /** Calls of models and tools, and checks, that are under way. */
  readonly calls: Set<unknown>
  /** Questions that nobody has answered. */
  readonly questions: Set<string>
  /** Other pieces, by their keys: true for those that rest. */
  readonly pieces: Map<string, boolean>
}

export const newActivity = (): PieceActivity => ({ calls: new Set(), questions: new Set(), pieces: new Map() })

/** What a piece waits for when it does nothing else, and nothing of it goes on elsewhere. */
export const onlyWaitsFor = ({ calls, pieces, questions }: PieceActivity): Waiting | undefined =>
  calls.size > 0 || pieces.size + questions.size === 0 || [...pieces.values()].includes(false)
    ? undefined
    : { keys: [...pieces.keys()], questions: [...questions] }

/** A time by both clocks of this machine, in milliseconds. */
export interface ClockReading {
  readonly monotonic: number
  readonly wall: number
}

export const readClocks = Effect.map(Clock.Clock, (clock): ClockReading => ({
  monotonic: Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n),
  wall: clock.currentTimeMillisUnsafe()
}))

/**
 * How long ago a lease was renewed, in milliseconds, by the clock that says more: the monotonic one stands still while a laptop
 * sleeps, and somebody may set the other one. One that is set back extends no lease; one that is set forward costs a renewal.
 */
export const leaseAge = ({ renewedAt }: Pick<HeldLease, "renewedAt">, now: ClockReading): number =>
  Math.max(now.monotonic - renewedAt.monotonic, now.wall - renewedAt.wall)

/** A lease as the worker has it. */
export interface HeldLease extends ClaimedWork {
  /** Completes when it is lost: nothing more that is done with it counts. */
  readonly lost: Deferred.Deferred<void>
  /** Completes when somebody cancels the run. */
  readonly cancelled: Deferred.Deferred<void>
  /** Lets this worker look for free work now. */
  readonly lookForWork: Effect.Effect<void>
  /** What it does and waits for now. */
  readonly activity: PieceActivity
  /** When its last renewal was sent. */
  renewedAt: ClockReading
  /** The end of the run as its leader came to it: its record is written with the end itself, or not at all. */
  ended?: { readonly record: NewRecord; readonly report: RunReport }
}

/** The lease with which the current fiber works. */
export const CurrentLease: Context.Reference<HeldLease | undefined> = Context.Reference(
  "task-conductor/plugins/cluster/ClusterWork/CurrentLease",
  { defaultValue: (): HeldLease | undefined => undefined }
)

/** A record to write; with the same token it is written once, however often it is tried. */
export interface NewRecord {
  readonly lease: WorkAttempt
  readonly token: string
  readonly at: string
  readonly type: string
  readonly key: string
  readonly event: string
  readonly json: string
}

/** A piece that is done; `result` is JSON text. */
export interface FinishedWork {
  readonly lease: WorkAttempt
  readonly result: string
}

/** How many pieces of each kind a worker takes at once. */
export type Room = Readonly<Record<WorkKind, number>>

/** A worker among those of the same program. */
export interface Claimant {
  readonly name: string
  readonly program: string
}

/** What a worker says of itself; `report` is JSON text. */
export interface Presence extends Claimant {
  readonly begunAt: string
  readonly report: string
}

/** How long an attempt lasts from its heartbeat, in milliseconds, by the clock of the database. */
export const leaseTime = heartbeatSeconds * 1000

/** A question of a run, by the hash of what it asks. */
export interface RunQuestion {
  readonly runId: string
  readonly question: string
}

/** What a piece waits for: answers to questions, and other pieces that rest. */
export interface Waiting {
  readonly questions: ReadonlyArray<string>
  readonly keys: ReadonlyArray<string>
}

type Query<A> = Effect.Effect<A, DatabaseUnavailable>

export class ClusterWork extends Context.Service<
  ClusterWork,
  {
    /** Takes free pieces of runs of this program, and those whose heartbeats have ended; of each kind what comes first. */
    claim(worker: Claimant, room: Room): Query<ReadonlyArray<ClaimedWork>>
    /** Sends the heartbeats of attempts, and says that their worker is there; returns those that are still active. */
    renew(
      leases: ReadonlyArray<Lease>,
      presence?: Presence
    ): Query<ReadonlyArray<Lease & { readonly isCancelled: boolean }>>
    /** Lets a piece go; `why` says that the worker can never do it. */
    giveBack(lease: Lease, why?: string): Query<void>
    /**
     * Lets a piece go that waits for nothing but this: nobody takes it until a question of its run is answered or a piece of it is
     * finished. It is free at once when that has happened.
     */
    rest(lease: Lease, waiting: Waiting): Query<void>
    /** Offers other pieces of the same run, in this order, but those whose keys are there; false when the attempt is not active. */
    offer(lease: Lease, pieces: ReadonlyArray<WorkItem>): Query<boolean>
    /** Ends the run that is led with this attempt, with its last record; false when it had ended, or the attempt is not active. */
    end(lease: Lease, ending: string, record?: NewRecord): Query<boolean>
    /** Appends records to a run, in this order, and saves what came of pieces; returns the tokens of records that are written. */
    append(
      runId: string,
      records: ReadonlyArray<NewRecord>,
      finished?: ReadonlyArray<FinishedWork>
    ): Query<ReadonlySet<string>>
    /** What came of these pieces of the run, of those that are done; nothing for those that rest. */
    results(lease: Lease, keys: ReadonlyArray<string>): Query<ReadonlyMap<string, string | undefined>>
    /** Saves the answer to a question as JSON text; the first one counts. */
    answer(runId: string, question: string, answer: string): Query<void>
    /** The answers that there are to these questions. */
    answers(questions: ReadonlyArray<RunQuestion>): Query<ReadonlyArray<RunQuestion & { readonly answer: string }>>
  }
>()("task-conductor/plugins/cluster/ClusterWork") {}
