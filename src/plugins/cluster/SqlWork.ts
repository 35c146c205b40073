/**
 * The work of cluster runs in the database. Each operation is one statement, so that it is done whole or not at all, also through
 * a pool of connections. A statement that writes for a worker locks the row of its lease first and the run second.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { retryTransient } from "./ClusterDatabase.ts"
import { StatementLimit } from "./PostgresClient.ts"
import { type ClaimedWork, ClusterWork, Declined, leaseTime, type Presence, type WorkKind } from "./ClusterWork.ts"

interface WorkRow {
  readonly setup: string
  readonly run_id: string
  readonly key: string
  readonly epoch: number
  readonly kind: WorkKind
  readonly payload: string
  readonly declined: string
}

const decodeDeclined = Schema.decodeSync(Schema.fromJsonString(Declined))

/** A renewal that gets no answer is sent again on another connection, long before the leases are given up. */
const renewalLimit = "4 seconds"

/** A worker that was not seen for this time counts as dead. */
export const aliveSeconds = 15

export const sayPresent = (sql: SqlClient.SqlClient, { begunAt, name, program, report }: Presence) =>
  sql`INSERT INTO task_conductor_workers (name, begun_at, program, report, seen_at)
    VALUES (${name}, ${begunAt}, ${program}, ${report}, clock_timestamp())
    ON CONFLICT (name) DO UPDATE SET begun_at = excluded.begun_at, program = excluded.program, report = excluded.report,
      seen_at = excluded.seen_at`

const leaseEnd = (sql: SqlClient.SqlClient) => sql.literal(`clock_timestamp() + interval '${leaseTime} milliseconds'`)

const claimWork = (sql: SqlClient.SqlClient): ClusterWork["Service"]["claim"] => {
  const seen = sql.literal(`clock_timestamp() - interval '${aliveSeconds} seconds'`)
  return Effect.fn("ClusterWork.claim")(({ name, program }, room) => {
    /* As isOtherBuild says it: sources do not know which build they are. */
    const isOwn = (
      column: string
    ) => sql`(split_part(${sql.literal(column)}, '+', 1) = split_part(${program}::text, '+', 1)
      AND (${sql.literal(column)} = ${program} OR split_part(${sql.literal(column)}, '+', 2) = ''
        OR split_part(${program}::text, '+', 2) = ''))`
    /* What a worker has declined comes back to it when all that are there have, but those that have given their server up. */
    const free = (kind: WorkKind) => sql`SELECT w.run_id, w.key FROM task_conductor_work w
      JOIN task_conductor_runs r ON r.run_id = w.run_id
      WHERE r.ending IS NULL AND ${isOwn("r.program")} AND w.result IS NULL AND w.kind = ${kind}
        AND (w.lease_until IS NULL OR w.lease_until < clock_timestamp())
        AND (NOT jsonb_exists(w.declined, ${name}) OR NOT EXISTS (SELECT FROM task_conductor_workers a
          WHERE a.seen_at > ${seen} AND ${isOwn("a.program")} AND NOT jsonb_exists(w.declined, a.name)
            AND a.report NOT LIKE '%"hasGivenUp":true%'))
      ORDER BY w.number LIMIT ${room[kind]} FOR UPDATE OF w SKIP LOCKED`
    const query = sql<WorkRow>`WITH runs AS (${free("run")}), refined AS (${free("refine")}), tasks AS (${free("task")}),
      taken AS (SELECT * FROM runs UNION ALL SELECT * FROM refined UNION ALL SELECT * FROM tasks)
      UPDATE task_conductor_work w SET owner = ${name}, epoch = nextval('task_conductor_epochs'), lease_until = ${leaseEnd(sql)}
      FROM taken JOIN task_conductor_runs r ON r.run_id = taken.run_id
      WHERE w.run_id = taken.run_id AND w.key = taken.key
      RETURNING md5(r.shared) AS setup, w.run_id, w.key, w.epoch::float8 AS epoch, w.kind, w.payload, w.declined::text AS declined`
    return Effect.map(retryTransient(query), (rows) =>
      rows.map(({ declined, run_id: runId, ...row }): ClaimedWork => ({
        ...row,
        runId,
        worker: name,
        declined: decodeDeclined(declined)
      }))
    )
  })
}

const appendRecords = (sql: SqlClient.SqlClient): ClusterWork["Service"]["append"] =>
  Effect.fn("ClusterWork.append")((runId, records, finished = []) => {
    const count = records.length
    const bytes = records.reduce((sum, { json }) => sum + Buffer.byteLength(json), 0)
    const given = JSON.stringify(
      records.map(({ lease, ...record }, index) => ({
        ...record,
        n: index + 1,
        lease: lease.key,
        epoch: lease.epoch
      }))
    )
    const done = JSON.stringify(finished.map(({ lease: { epoch, key }, result }) => ({ key, epoch, result })))
    const query = sql<{ readonly token: string }>`WITH given AS (
        SELECT * FROM jsonb_to_recordset(${given}::jsonb) AS g(n int, lease text, epoch bigint, token uuid, at text,
          type text, key text, event text, json text)),
      held AS (SELECT w.key, w.epoch FROM task_conductor_work w WHERE w.run_id = ${runId}
        AND w.lease_until IS NOT NULL AND (w.key, w.epoch) IN (SELECT lease, epoch FROM given) FOR SHARE),
      run AS (UPDATE task_conductor_runs r SET records = r.records + ${count}, size = r.size + ${bytes}
        WHERE r.run_id = ${runId} AND r.ending IS NULL AND EXISTS (SELECT FROM held) RETURNING r.records),
      added AS (INSERT INTO task_conductor_records (run_id, seq, at, type, key, event, json, token)
        SELECT ${runId}, run.records - ${count} + g.n, g.at, g.type, g.key, g.event, g.json, g.token
        FROM run, given g JOIN held ON held.key = g.lease AND held.epoch = g.epoch
        ON CONFLICT (token) DO NOTHING RETURNING token),
      done AS (UPDATE task_conductor_work w SET lease_until = NULL, result = d.result
        FROM jsonb_to_recordset(${done}::jsonb) AS d(key text, epoch bigint, result text)
        WHERE w.run_id = ${runId} AND w.key = d.key AND w.epoch = d.epoch AND w.lease_until IS NOT NULL)
      SELECT token::text AS token FROM added
      UNION SELECT r.token::text FROM task_conductor_records r JOIN given ON given.token = r.token`
    return Effect.map(retryTransient(query), (rows) => new Set(rows.map(({ token }) => token)))
  })

const makeWork = (sql: SqlClient.SqlClient) =>
  ClusterWork.of({
    claim: claimWork(sql),
    renew: Effect.fn("ClusterWork.renew")((leases, presence) => {
      const given = JSON.stringify(leases.map(({ epoch }) => epoch))
      const present = presence === undefined ? sql`` : sql`WITH present AS (${sayPresent(sql, presence)})`
      const query = sql<Pick<WorkRow, "epoch"> & { readonly cancelled: boolean }>`${present}
        UPDATE task_conductor_work w SET lease_until = ${leaseEnd(sql)} FROM task_conductor_runs r
        WHERE w.run_id = r.run_id AND r.ending IS NULL AND w.lease_until IS NOT NULL
          AND w.epoch IN (SELECT value::bigint FROM jsonb_array_elements_text(${given}::jsonb))
        RETURNING w.epoch::float8 AS epoch, r.cancelled`
      return Effect.map(Effect.provideService(retryTransient(query), StatementLimit, renewalLimit), (rows) => {
        const kept = new Map(rows.map(({ cancelled, epoch }) => [epoch, cancelled]))
        return leases.flatMap((lease) => {
          const isCancelled = kept.get(lease.epoch)
          return isCancelled === undefined ? [] : [{ ...lease, isCancelled }]
        })
      })
    }),
    giveBack: Effect.fn("ClusterWork.giveBack")(({ epoch, key, runId, worker }, why) => {
      const more = JSON.stringify(why === undefined ? {} : { [worker]: why.replaceAll("\0", "") })
      return Effect.asVoid(
        retryTransient(sql`UPDATE task_conductor_work SET lease_until = NULL, declined = declined || ${more}::jsonb
          WHERE run_id = ${runId} AND key = ${key} AND epoch = ${epoch} AND lease_until IS NOT NULL`)
      )
    }),
    offer: Effect.fn("ClusterWork.offer")(({ epoch, key, runId }, pieces) => {
      const given = JSON.stringify(pieces.map((piece, n) => ({ ...piece, n })))
      const query = sql`WITH held AS (SELECT w.key FROM task_conductor_work w
          WHERE w.run_id = ${runId} AND w.key = ${key} AND w.epoch = ${epoch} AND w.lease_until IS NOT NULL FOR SHARE),
        added AS (INSERT INTO task_conductor_work (run_id, key, kind, payload)
          SELECT r.run_id, g.key, g.kind, g.payload FROM task_conductor_runs r, held,
            jsonb_to_recordset(${given}::jsonb) AS g(n int, key text, kind text, payload text)
          WHERE r.run_id = ${runId} AND r.ending IS NULL ORDER BY g.n ON CONFLICT DO NOTHING)
        SELECT FROM held`
      return Effect.map(retryTransient(query), (rows) => rows.length > 0)
    }),
    end: Effect.fn("ClusterWork.end")(({ epoch, key, runId }, ending, record) => {
      const given = JSON.stringify(record === undefined ? [] : [record])
      const count = record === undefined ? 0 : 1
      const bytes = Buffer.byteLength(record?.json ?? "")
      const query = sql`WITH held AS (SELECT w.run_id FROM task_conductor_work w
          WHERE w.run_id = ${runId} AND w.key = ${key} AND w.epoch = ${epoch} AND w.lease_until IS NOT NULL FOR UPDATE),
        ended AS (UPDATE task_conductor_runs r SET ending = ${ending}, records = r.records + ${count},
          size = r.size + ${bytes} FROM held
          WHERE r.run_id = held.run_id AND r.ending IS NULL RETURNING r.run_id, r.records),
        added AS (INSERT INTO task_conductor_records (run_id, seq, at, type, key, event, json, token)
          SELECT ended.run_id, ended.records, g.at, g.type, g.key, g.event, g.json, g.token FROM ended,
            jsonb_to_recordset(${given}::jsonb) AS g(token uuid, at text, type text, key text, event text, json text)),
        gone AS (DELETE FROM task_conductor_work w USING ended WHERE w.run_id = ended.run_id)
        SELECT FROM ended`
      return Effect.map(retryTransient(query), (rows) => rows.length > 0)
    }),
    append: appendRecords(sql),
    results: Effect.fn("ClusterWork.results")((runId, keys) => {
      const query = sql<{ readonly key: string; readonly result: string }>`SELECT key, result FROM task_conductor_work
        WHERE run_id = ${runId} AND result IS NOT NULL
          AND key IN (SELECT jsonb_array_elements_text(${JSON.stringify(keys)}::jsonb))`
      return Effect.map(retryTransient(query), (rows) => new Map(rows.map(({ key, result }) => [key, result])))
    }),
    answer: Effect.fn("ClusterWork.answer")((runId, question, answer) =>
      Effect.asVoid(
        retryTransient(sql`INSERT INTO task_conductor_answers (run_id, question, answer)
          SELECT run_id, ${question}, ${answer} FROM task_conductor_runs WHERE run_id = ${runId} ON CONFLICT DO NOTHING`)
      )
    ),
    answered: Effect.fn("ClusterWork.answered")((runId, question) => {
      const query = sql<{ readonly answer: string }>`SELECT answer FROM task_conductor_answers
        WHERE run_id = ${runId} AND question = ${question}`
      return Effect.map(retryTransient(query), ([row]) => row?.answer)
    })
  })

/** Over the database. */
export const layerSqlWork: Layer.Layer<ClusterWork, never, SqlClient.SqlClient> = Layer.effect(
  ClusterWork,
  Effect.map(SqlClient.SqlClient, makeWork)
)
