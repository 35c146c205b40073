/**
 * A run in the database with a worker that leads it, for tests of what is saved of it.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type * as SqlClient from "effect/sql/SqlClient"
import type { ClusterRun, JournalRecord } from "../../src/domain/journal/JournalRecord.ts"
import { ClusterRuns, encodeRecord, eventIn, keyIn } from "../../src/plugins/cluster/ClusterRuns.ts"
import { ClusterWork, type HeldLease, newActivity, readClocks } from "../../src/plugins/cluster/ClusterWork.ts"
import { queueOf, type WorkKind } from "../../src/plugins/cluster/WorkQueues.ts"
import { randomUUID } from "node:crypto"

/** A piece that a worker has, in no store. */
export const leasedPiece = Effect.fnUntraced(function* (kind: WorkKind): Effect.fn.Return<HeldLease> {
  const id = randomUUID()
  const piece = { runId: "run-1", key: kind, kind, payload: "{}", setup: "", declined: {}, worker: "gpu-1-7" }
  return {
    ...piece,
    leader: id,
    priority: 0,
    queue: queueOf(kind, "0"),
    id,
    attempt: 0,
    lost: yield* Deferred.make<void>(),
    cancelled: yield* Deferred.make<void>(),
    lookForWork: Effect.void,
    activity: newActivity(),
    renewedAt: { monotonic: 0, wall: 0 }
  }
})

/** Starts the run, and claims it; its leases are never renewed. */
export const leaseRun = Effect.fnUntraced(function* (run: ClusterRun) {
  const work = yield* ClusterWork
  yield* (yield* ClusterRuns).submit(run, [], (json) => json)
  const { order, program } = run.opened
  const claimed = yield* work.claim({ name: "gpu-1-7", program }, { run: 9, refine: 0, task: 0 })
  const found = claimed.find(({ runId }) => runId === order.runId)
  if (found === undefined) return yield* Effect.die(`${order.runId} was not offered`)
  const lease: HeldLease = {
    ...found,
    lost: yield* Deferred.make<void>(),
    cancelled: yield* Deferred.make<void>(),
    lookForWork: Effect.void,
    activity: newActivity(),
    renewedAt: yield* readClocks
  }
  return lease
})

/** Appends records with a lease. */
export const appendWith = Effect.fnUntraced(function* (lease: HeldLease, ...records: ReadonlyArray<JournalRecord>) {
  const made = records.map((record) => ({
    lease,
    token: randomUUID(),
    at: new Date().toISOString(),
    type: record.type,
    key: keyIn(record),
    event: eventIn(record),
    json: JSON.stringify(encodeRecord(record))
  }))
  yield* (yield* ClusterWork).append(lease.runId, made)
})

/** The heartbeats of pieces ended long ago: of all that somebody has, or of one of them. */
export const endHeartbeats = (sql: SqlClient.SqlClient, runId?: string, key?: string) =>
  Effect.andThen(
    sql`UPDATE task_conductor_boss.job SET heartbeat_on = now() - interval '1 hour' WHERE state = 'active'
      AND (${runId ?? null}::text IS NULL OR data ->> 'runId' = ${runId ?? null} AND data ->> 'key' = ${key ?? null})`,
    sql`UPDATE task_conductor_boss.queue SET monitor_on = NULL, monitor_claim_on = NULL`
  )
