/**
 * The work of cluster runs: each run, and each phase of a task, is a piece that any worker may claim. A claim is a lease: it has
 * an epoch that no other claim ever has, and ends unless it is renewed. Whatever a worker writes names its lease, and nothing
 * is written by one whose lease another worker has taken, or whose run has ended.
 */
import * as Context from "effect/Context"
import type * as Deferred from "effect/Deferred"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { RunReport } from "../../kit/runs.ts"
import type { DatabaseUnavailable } from "./ClusterDatabase.ts"

/** `run` leads a run from its order to its report; `refine` and `task` are the phases of a task. */
export type WorkKind = "run" | "refine" | "task"

/** What is to be done. `payload` is JSON text. */
export interface WorkItem {
  readonly key: string
  readonly kind: WorkKind
  readonly payload: string
}

/** The piece that is the run itself. */
export const runPiece: WorkItem = { key: "run", kind: "run", payload: "{}" }

/** What a worker writes with. */
export interface Lease {
  readonly runId: string
  readonly key: string
  readonly worker: string
  readonly epoch: number
}

/** What each worker lacks for a piece, by its name. */
export const Declined = Schema.Record(Schema.String, Schema.String)
export type Declined = typeof Declined.Type

/** A piece that a worker has. It has declined it before only when every worker that is there has. */
export interface ClaimedWork extends WorkItem, Lease {
  /** Is another one when the run was opened again with other settings. */
  readonly setup: string
  readonly declined: Declined
}

/** A lease as the worker has it. */
export interface HeldLease extends ClaimedWork {
  /** Completes when it is lost: nothing more that is done with it counts. */
  readonly lost: Deferred.Deferred<void>
  /** Completes when somebody cancels the run. */
  readonly cancelled: Deferred.Deferred<void>
  /** Lets this worker look for free work now. */
  readonly lookForWork: Effect.Effect<void>
  /** When its last renewal was sent, in milliseconds of the monotonic clock. */
  renewedAt: number
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
  readonly lease: Pick<Lease, "key" | "epoch">
  readonly token: string
  readonly at: string
  readonly type: string
  readonly key: string
  readonly event: string
  readonly json: string
}

/** A piece that is done; `result` is JSON text. */
export interface FinishedWork {
  readonly lease: Pick<Lease, "key" | "epoch">
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

/** How long a lease lasts from its renewal, in milliseconds, by the clock of the database. */
export const leaseTime = 15_000

type Query<A> = Effect.Effect<A, DatabaseUnavailable>

export class ClusterWork extends Context.Service<
  ClusterWork,
  {
    /** Takes free pieces of runs of this program, of each kind what was offered first. */
    claim(worker: Claimant, room: Room): Query<ReadonlyArray<ClaimedWork>>
    /** Renews leases, and says that their worker is there; returns those that it still has. */
    renew(
      leases: ReadonlyArray<Lease>,
      presence?: Presence
    ): Query<ReadonlyArray<Lease & { readonly isCancelled: boolean }>>
    /** Lets a piece go; `why` says that the worker can never do it. */
    giveBack(lease: Lease, why?: string): Query<void>
    /** Offers other pieces of the same run, in this order, but those whose keys are there; false when the lease does not count. */
    offer(lease: Lease, pieces: ReadonlyArray<WorkItem>): Query<boolean>
    /** Ends the run that is led with this lease, with its last record; false when it had ended, or the lease does not count. */
    end(lease: Lease, ending: string, record?: NewRecord): Query<boolean>
    /** Appends records to a run, in this order, and saves what came of pieces; returns the tokens of records that are written. */
    append(
      runId: string,
      records: ReadonlyArray<NewRecord>,
      finished?: ReadonlyArray<FinishedWork>
    ): Query<ReadonlySet<string>>
    /** What came of these pieces, of those that are done. */
    results(runId: string, keys: ReadonlyArray<string>): Query<ReadonlyMap<string, string>>
    /** Saves the answer to a question as JSON text; the first one counts. */
    answer(runId: string, question: string, answer: string): Query<void>
    answered(runId: string, question: string): Query<string | undefined>
  }
>()("task-conductor/plugins/cluster/ClusterWork") {}
