/**
 * A run in the database with a worker that leads it, for tests of what is saved of it.
 */
import type * as NodeServices from "@effect/platform-node/NodeServices"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import type { ClusterRun, JournalRecord } from "../../src/domain/journal/JournalRecord.ts"
import { layerServices } from "../../src/plugins/cluster/clusterClient.ts"
import { layerDatabase } from "../../src/plugins/cluster/ClusterDatabase.ts"
import { ClusterRuns, encodeRecord, eventIn, keyIn } from "../../src/plugins/cluster/ClusterRuns.ts"
import {
  type ClaimedWork,
  ClusterWork,
  type HeldLease,
  type NewRecord,
  newActivity,
  readClocks
} from "../../src/plugins/cluster/ClusterWork.ts"
import { queueOf, type WorkKind } from "../../src/plugins/cluster/WorkQueues.ts"
import { randomUUID } from "node:crypto"
import { liveTest } from "./liveTest.ts"
import { makePostgres } from "./Postgres.ts"

/** A run of a project of its own, as a client submits it. */
export const clusterRun = (runId: string, more: Partial<ClusterRun["opened"]> = {}): ClusterRun => {
  const order = { runId, prompt: "Do it." }
  const opened = {
    type: "opened",
    version: 1,
    program: "0.0.0",
    settings: {},
    project: `/project/${runId}`,
    order
  } as const
  return { opened: { ...opened, ...more }, allow: [], approveSteps: false }
}

/** The services of a worker on the database of this address. */
export const layerOn = (url: string) => Layer.provideMerge(layerServices, layerDatabase(Redacted.make(url)))

type DatabaseServices = Layer.Success<ReturnType<typeof layerOn>>

/** Runs a body on a database of its own. */
export const onDatabase = <A, E, R>(body: Effect.Effect<A, E, R>) =>
  Effect.flatMap(makePostgres, (url) => Effect.provide(body, layerOn(url)))

/** A test whose body has a database of its own. */
export const databaseTest = (
  name: string,
  body: () => Generator<
    Effect.Effect<unknown, unknown, DatabaseServices | NodeServices.NodeServices | Scope.Scope>,
    unknown,
    never
  >
): void => liveTest(name, () => onDatabase(Effect.gen(() => body())))

/** Runs a body with a connection to the database of this address. */
export const withSql = <A, E, R>(url: string, body: (sql: SqlClient.SqlClient) => Effect.Effect<A, E, R>) =>
  Effect.provide(SqlClient.SqlClient.use(body), layerDatabase(Redacted.make(url)))

/** The piece of this kind that a worker claims. */
export const claimOne = (work: ClusterWork["Service"], worker: { name: string; program: string }, kind: WorkKind) =>
  Effect.flatMap(work.claim(worker, { run: 0, refine: 0, task: 0, [kind]: 1 }), ([piece]) =>
    piece === undefined ? Effect.die(`no ${kind} was offered`) : Effect.succeed(piece)
  )

/** A piece as the worker holds it that has claimed it. */
export const held = Effect.fnUntraced(function* <A extends ClaimedWork>(
  claimed: A,
  renewedAt = { monotonic: 0, wall: 0 }
) {
  return {
    ...claimed,
    lost: yield* Deferred.make<void>(),
    cancelled: yield* Deferred.make<void>(),
    lookForWork: Effect.void,
    activity: newActivity(),
    renewedAt
  } satisfies HeldLease as HeldLease
})

/** A piece that a worker has, in no store. */
export const leasedPiece = Effect.fnUntraced(function* (kind: WorkKind): Effect.fn.Return<HeldLease> {
  const id = randomUUID()
  const piece = { runId: "run-1", key: kind, kind, payload: "{}", setup: "", declined: {}, worker: "gpu-1-7" }
  return yield* held({ ...piece, leader: id, priority: 0, queue: queueOf(kind, "0"), id, attempt: 0 })
})

/** Starts the run, and claims it; its leases are never renewed. */
export const leaseRun = Effect.fnUntraced(function* (run: ClusterRun) {
  const work = yield* ClusterWork
  yield* (yield* ClusterRuns).submit(run, [], (json) => json)
  const { order, program } = run.opened
  const claimed = yield* work.claim({ name: "gpu-1-7", program }, { run: 9, refine: 0, task: 0 })
  const found = claimed.find(({ runId }) => runId === order.runId)
  if (found === undefined) return yield* Effect.die(`${order.runId} was not offered`)
  return yield* held(found, yield* readClocks)
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

/** A record of the holder of a lease, different for each number. */
export const recordOf = (number: number, { attempt, id, queue }: ClaimedWork): NewRecord => ({
  lease: { queue, id, attempt },
  token: `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
  at: "2026-11-20T18:30:00.000Z",
  type: "outcome",
  key: `record ${number}`,
  event: "",
  json: JSON.stringify({ type: "outcome", key: `record ${number}`, value: "\0 and ' and \\u0000" })
})
