/**
 * A run in the database with a worker that leads it, for tests of what is saved of it.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { ClusterRun, JournalRecord } from "../../src/domain/journal/JournalRecord.ts"
import { ClusterRuns, encodeRecord, eventIn, keyIn } from "../../src/plugins/cluster/ClusterRuns.ts"
import { ClusterWork, type HeldLease } from "../../src/plugins/cluster/ClusterWork.ts"
import { randomUUID } from "node:crypto"

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
    renewedAt: Number(process.hrtime.bigint() / 1_000_000n)
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
