/**
 * Implements `ClusterWork` with the database. pg-boss stores the pieces of work, and the tables of this program store
 * all other data. Every write for a piece checks, in its own statement or under a lock, that the attempt is active.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { retryTransient } from "./DatabaseErrors.ts"
import { transaction } from "./ClusterDatabase.ts"
import {
  type WorkAttempt,
  type Claimant,
  type ClaimedWork,
  ClusterWork,
  Declined,
  type Lease,
  type NewRecord,
  priorityStep,
  type RunQuestion,
  runPiece,
  type WorkItem
} from "./ClusterWork.ts"
import { aliveSeconds, sayPresent } from "./ClusterWorkers.ts"
import { StatementLimit } from "./PostgresClient.ts"
import {
  bossSchema,
  kindOf,
  pieceId,
  queueLike,
  queueOf,
  queuesLike,
  queuesOf,
  WorkQueues,
  type WorkKind
} from "./WorkQueues.ts"

/**
 * A heartbeat that gets no answer in this time is sent again on another connection. The lease has not ended by then.
 */
const heartbeatLimit = "4 seconds"

/** A resting piece is queued for this date, which never comes. */
const never = "9999-01-01T00:00:00Z"
const rests = "start_after > now() + interval '1 day'"

const jobs = `${bossSchema}.job`

interface PieceData {
  readonly runId: string
  readonly leader: string
  readonly key: string
  readonly payload: string
  readonly priority: number
}

/** `closed` are the ids of the pieces that this worker must not claim. */
interface QueueState {
  readonly queue: string
  readonly hasReady: boolean
  readonly late: boolean
  readonly due: boolean
  readonly closed: ReadonlyArray<string>
}

interface FetchedPiece extends WorkAttempt, PieceData {}

const decodeDeclined = Schema.decodeSync(Schema.fromJsonString(Declined))

/** An attempt as a text that SQL statements compare. */
const pairOf = ({ attempt, id }: Omit<WorkAttempt, "queue">): string => `${id}:${attempt}`
const asAttempt = ({ attempt, id }: WorkAttempt) => ({ id, retryCount: attempt })

/**
 * Selects and locks the row of an active run. To avoid deadlocks, all transactions lock rows in one order: the run, its
 * leading piece, and then other pieces by queue and id. `NO KEY` still lets other transactions insert rows that refer
 * to the run.
 */
const lockedRun = (sql: SqlClient.SqlClient, runId: string) =>
  sql`SELECT r.run_id FROM task_conductor_runs r WHERE r.run_id = ${runId} AND r.ending IS NULL FOR NO KEY UPDATE`
const lockOrder = "ORDER BY j.name NOT LIKE 'run/%', j.name, j.id"

/**
 * Selects those given attempts that are active, and locks their rows until the transaction ends. Selects nothing if
 * `condition` is false.
 */
const held = (
  sql: SqlClient.SqlClient,
  attempts: ReadonlyArray<WorkAttempt>,
  lock: "SHARE" | "UPDATE" = "SHARE",
  condition = "true"
) => {
  const listOf = (texts: ReadonlyArray<string>) => sql`string_to_array(${texts.join(",")}, ',')`
  const pairs = attempts.map(pairOf)
  return sql<{
    readonly id: string
    readonly retry_count: number
  }>`SELECT j.name, j.id, j.retry_count FROM ${sql.literal(jobs)} j WHERE j.state = 'active'
    AND j.name = ANY(${listOf(attempts.map(({ queue }) => queue))})
    AND j.id = ANY(${listOf(attempts.map(({ id }) => id))}::uuid[])
    AND (j.id::text || ':' || j.retry_count::text) = ANY(${listOf(pairs)})
    AND ${sql.literal(condition)} ${sql.literal(lockOrder)} FOR ${sql.literal(lock)} OF j`
}

/** A run to queue, and the id of the piece that leads it. */
export interface RunOffer {
  readonly runId: string
  readonly leader: string
  readonly program: string
  readonly priority: number
}

/** Queues the piece that leads a run. The queue must exist. */
export const offerRun = ({ use }: WorkQueues["Service"], { leader, priority, program, runId }: RunOffer) => {
  const data: PieceData = { runId, leader, key: runPiece.key, payload: runPiece.payload, priority }
  const job = { id: leader, data, priority: priority * priorityStep, singletonKey: runId, group: { id: leader } }
  return use((boss, options) => boss.insert(queueOf("run", program), [job], options))
}

/** Selects and locks those pieces of a run that are in these queues and fulfil the SQL condition. */
const piecesOf = (sql: SqlClient.SqlClient, runId: string, queues: ReadonlyArray<string>, condition: string) =>
  sql<{ readonly name: string; readonly id: string }>`SELECT j.name, j.id FROM ${sql.literal(jobs)} j
    WHERE j.name IN (SELECT jsonb_array_elements_text(${JSON.stringify(queues)}::jsonb)) AND j.singleton_key = ${runId}
      AND ${sql.literal(condition)} ${sql.literal(lockOrder)} FOR UPDATE OF j`

/**
 * Removes the pieces of a run from these queues, even claimed ones. The store then rejects what their workers write.
 */
export const removePieces = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { use }: WorkQueues["Service"],
  runId: string,
  queues: ReadonlyArray<string>
) {
  for (const [name, pieces] of Map.groupBy(yield* piecesOf(sql, runId, queues, "true"), (row) => row.name)) {
    const ids = pieces.map(({ id }) => id)
    yield* use((boss, options) => boss.deleteJob(name, ids, options))
  }
})

/** Makes the resting pieces of a run claimable. */
const wake = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { use }: WorkQueues["Service"],
  runId: string,
  queues: ReadonlyArray<string>
) {
  for (const { id, name } of yield* piecesOf(sql, runId, queues, `state < 'active' AND ${rests}`)) {
    yield* use((boss, options) => boss.update(name, undefined, { id, startAfter: 0, ...options }))
  }
})

const makeClaim = (
  sql: SqlClient.SqlClient,
  { ready, use }: WorkQueues["Service"]
): ClusterWork["Service"]["claim"] => {
  /* The opposite of `isOtherBuild` as an SQL condition: true if the queue matches the worker's version and build. */
  const isOwn = (queue: string, { program }: Claimant) => {
    const [version = "", build = ""] = program.split("+")
    const part = (at: number) => sql.literal(`split_part(${queue}, '/', ${at})`)
    return sql`(${part(2)} = ${version} AND (${build}::text = '' OR ${part(3)} IN ('', ${build})))`
  }

  /**
   * Reads the queues of a worker. The worker must not claim a piece that it declined until all live workers have
   * declined it.
   */
  const readQueues = (worker: Claimant) => {
    const alive = sql.literal(`clock_timestamp() - interval '${aliveSeconds} seconds'`)
    const [all, someReady] = [sql.literal(jobs), sql.literal("NOT j.blocked AND j.start_after <= now()")]
    return sql<QueueState>`SELECT q.name AS queue,
        EXISTS (SELECT FROM ${all} j WHERE j.name = q.name AND j.state < 'active' AND ${someReady}) AS "hasReady",
        EXISTS (SELECT FROM ${all} j WHERE j.name = q.name AND j.state = 'active'
          AND j.heartbeat_on + j.heartbeat_seconds * interval '1 second' < now()) AS late,
        coalesce(q.monitor_claim_on < now() - interval '1 minute', true) AS due,
        ARRAY(SELECT d.id::text FROM task_conductor_declined d WHERE d.worker = ${worker.name} AND EXISTS (
          SELECT FROM task_conductor_workers a WHERE a.seen_at > ${alive} AND ${isOwn("'run/' || replace(a.program, '+', '/')", worker)}
            AND a.report NOT LIKE '%"hasGivenUp":true%'
            AND NOT EXISTS (SELECT FROM task_conductor_declined o WHERE o.id = d.id AND o.worker = a.name))) AS closed
      FROM ${sql.literal(bossSchema)}.queue q WHERE ${isOwn("q.name", worker)} ORDER BY q.name`
  }

  /** Returns the fetched pieces whose runs are active, and deletes the others. */
  const accept = Effect.fnUntraced(function* ({ name }: Claimant, fetched: ReadonlyArray<FetchedPiece>) {
    const pieces = JSON.stringify(fetched.map(({ id, leader, runId }) => ({ id, leader, run: runId })))
    const rows = yield* retryTransient(sql<{ readonly id: string; readonly setup: string; readonly declined: string }>`
      WITH g AS (SELECT * FROM jsonb_to_recordset(${pieces}::jsonb) AS g(id uuid, run text, leader uuid)),
        led AS (UPDATE task_conductor_runs r SET led_by = ${name} FROM g WHERE r.run_id = g.run AND r.leader = g.id)
      SELECT g.id, md5(r.shared) AS setup, coalesce((SELECT jsonb_object_agg(d.worker, d.why)
        FROM task_conductor_declined d WHERE d.id = g.id), '{}')::text AS declined
      FROM g JOIN task_conductor_runs r ON r.run_id = g.run AND r.leader = g.leader AND r.ending IS NULL`)
    const runs = new Map(rows.map((row) => [row.id, row]))
    const claimed: Array<ClaimedWork> = []
    for (const piece of fetched) {
      const row = runs.get(piece.id)
      if (row === undefined) {
        yield* retryTransient(use((boss, options) => boss.deleteJob(piece.queue, asAttempt(piece), options)))
        continue
      }
      const { declined, setup } = row
      claimed.push({ ...piece, kind: kindOf(piece.queue), worker: name, setup, declined: decodeDeclined(declined) })
    }
    return claimed
  })

  return Effect.fn("ClusterWork.claim")(function* (worker, capacity) {
    const queues = yield* retryTransient(Effect.andThen(ready, readQueues(worker)))
    if (queues.some(({ due, late }) => due || late)) yield* retryTransient(use((boss) => boss.supervise()))
    const remaining: Record<WorkKind, number> = { ...capacity }
    const fetched: Array<FetchedPiece> = []
    for (const { closed, hasReady, late, queue } of queues) {
      const batchSize = remaining[kindOf(queue)]
      if (batchSize <= 0 || !(hasReady || late)) continue
      const batch = yield* retryTransient(
        use((boss, options) => boss.fetch<PieceData>(queue, { batchSize, ignoreGroups: [...closed], ...options }))
      )
      remaining[kindOf(queue)] -= batch.length
      for (const { data, id, retryCount } of batch) fetched.push({ ...data, queue, id, attempt: retryCount })
    }
    return fetched.length === 0 ? [] : yield* accept(worker, fetched)
  })
}

/**
 * Writes the given records, except those whose attempt is no longer active. Returns the tokens of the given records
 * that are now in the database, including those of earlier tries.
 */
const writeRecords = (sql: SqlClient.SqlClient, runId: string, records: ReadonlyArray<NewRecord>) => {
  const count = records.length
  const bytes = records.reduce((sum, { json }) => sum + Buffer.byteLength(json), 0)
  const leases = records.map(({ lease }) => lease)
  const rows = JSON.stringify(
    records.map(({ lease, ...record }, index) => ({ ...record, n: index + 1, id: lease.id, attempt: lease.attempt }))
  )
  return sql<{ readonly token: string }>`WITH given AS (
      SELECT * FROM jsonb_to_recordset(${rows}::jsonb) AS g(n int, id uuid, attempt int, token uuid, at text,
        type text, key text, event text, json text)),
    locked AS (${lockedRun(sql, runId)}),
    held AS (${held(sql, leases, "SHARE", "EXISTS (SELECT FROM locked)")}),
    run AS (UPDATE task_conductor_runs r SET records = r.records + ${count}, size = r.size + ${bytes}
      WHERE r.run_id = ${runId} AND EXISTS (SELECT FROM held) RETURNING r.records),
    added AS (INSERT INTO task_conductor_records (run_id, seq, at, type, key, event, json, token)
      SELECT ${runId}, run.records - ${count} + g.n, g.at, g.type, g.key, g.event, g.json, g.token
      FROM run, given g JOIN held ON held.id = g.id AND held.retry_count = g.attempt
      ON CONFLICT (token) DO NOTHING RETURNING token)
    SELECT token::text AS token FROM added
    UNION SELECT r.token::text FROM task_conductor_records r JOIN given ON given.token = r.token`
}

const makeAppend = (sql: SqlClient.SqlClient, queues: WorkQueues["Service"]): ClusterWork["Service"]["append"] =>
  Effect.fn("ClusterWork.append")((runId, records, finished = []) => {
    const write = records.length === 0 ? Effect.succeed([]) : writeRecords(sql, runId, records)
    const finish = Effect.gen(function* () {
      yield* lockedRun(sql, runId)
      const rows = yield* write
      for (const { lease, result } of finished) {
        yield* queues.use((boss, options) => boss.complete(lease.queue, asAttempt(lease), { result }, options))
        yield* wake(sql, queues, runId, [queueLike(lease.queue, "run")])
      }
      return rows
    })
    const all = finished.length === 0 ? write : transaction(sql, finish)
    return Effect.map(retryTransient(all), (rows) => new Set(rows.map(({ token }) => token)))
  })

/**
 * The pg-boss priority of the first of several new pieces. If pieces of this run wait, it is lower than all of theirs.
 * Otherwise, it is the highest priority among waiting pieces of runs with equal priority. So these runs take turns.
 */
const firstPriority = (sql: SqlClient.SqlClient, { priority, runId }: Lease, queue: string) => {
  const [most, all] = [priority * priorityStep, sql.literal(jobs)]
  return sql<{ readonly first: number }>`SELECT coalesce(
    (SELECT min(j.priority) - 1 FROM ${all} j WHERE j.name = ${queue} AND j.state < 'active' AND j.singleton_key = ${runId}),
    (SELECT max(j.priority) FROM ${all} j WHERE j.name = ${queue} AND j.state < 'active' AND NOT j.blocked
      AND j.priority <= ${most} AND j.priority > ${most - priorityStep}), ${most}::int) AS first`
}

const makeOffer = (sql: SqlClient.SqlClient, { use }: WorkQueues["Service"]): ClusterWork["Service"]["offer"] =>
  Effect.fn("ClusterWork.offer")((lease, pieces) => {
    const { leader, priority, runId } = lease
    const insert = Effect.gen(function* () {
      if ((yield* held(sql, [lease])).length === 0) return false
      for (const [kind, items] of Map.groupBy(pieces, (piece: WorkItem) => piece.kind)) {
        const queue = queueLike(lease.queue, kind)
        const [row] = yield* firstPriority(sql, lease, queue)
        const offered = items.map(({ key, payload }, at) => {
          const id = pieceId(leader, key)
          const data: PieceData = { runId, leader, key, payload, priority }
          return { id, data, priority: (row?.first ?? 0) - at, singletonKey: runId, group: { id } }
        })
        yield* use((boss, options) => boss.insert(queue, offered, options))
      }
      return true
    })
    return retryTransient(transaction(sql, insert))
  })

const makeEnd = (sql: SqlClient.SqlClient, queues: WorkQueues["Service"]): ClusterWork["Service"]["end"] =>
  Effect.fn("ClusterWork.end")((lease, ending, record) => {
    const { queue, runId } = lease
    const end = Effect.gen(function* () {
      if ((yield* lockedRun(sql, runId)).length === 0) return false
      if ((yield* held(sql, [lease], "UPDATE")).length === 0) return false
      if (record !== undefined) yield* writeRecords(sql, runId, [record])
      yield* sql`UPDATE task_conductor_runs SET ending = ${ending} WHERE run_id = ${runId}`
      yield* removePieces(sql, queues, runId, queuesLike(queue))
      return true
    })
    return retryTransient(transaction(sql, end))
  })

/** Sends all heartbeats in one statement. pg-boss would send one for each queue, which takes a busy worker too long. */
const makeRenew = (sql: SqlClient.SqlClient, { ready }: WorkQueues["Service"]): ClusterWork["Service"]["renew"] =>
  Effect.fn("ClusterWork.renew")((leases, presence) => {
    const present = presence === undefined ? sql`` : sql`present AS (${sayPresent(sql, presence)}),`
    const runs = JSON.stringify(leases.map(({ id, runId }) => ({ id, run: runId })))
    const beat = sql<{ readonly id: string; readonly attempt: number; readonly isCancelled: boolean }>`WITH ${present}
      given AS (SELECT * FROM jsonb_to_recordset(${runs}::jsonb) AS g(id uuid, run text)),
      held AS (${held(sql, leases, "UPDATE")}),
      beat AS (UPDATE ${sql.literal(jobs)} j SET heartbeat_on = ${sql.literal(bossSchema)}.job_now() FROM held
        WHERE j.name = held.name AND j.id = held.id)
      SELECT held.id, held.retry_count AS attempt, coalesce(r.cancelled, false) AS "isCancelled"
      FROM held JOIN given ON given.id = held.id LEFT JOIN task_conductor_runs r ON r.run_id = given.run`
    const kept = Effect.map(retryTransient(Effect.andThen(ready, beat)), (rows) => {
      const byPair = new Map(rows.map((row) => [pairOf(row), row]))
      return leases.flatMap((lease) => {
        const row = byPair.get(pairOf(lease))
        return row === undefined ? [] : [{ ...lease, isCancelled: row.isCancelled }]
      })
    })
    return Effect.provideService(kept, StatementLimit, heartbeatLimit)
  })

const makeRest = (sql: SqlClient.SqlClient, { use }: WorkQueues["Service"]): ClusterWork["Service"]["rest"] =>
  Effect.fn("ClusterWork.rest")((lease, { keys, questions }) => {
    const pieces = JSON.stringify(keys.map((key) => pieceId(lease.leader, key)))
    const rest = Effect.gen(function* () {
      /* `answer` takes the same lock, so no answer can arrive between these statements. */
      yield* lockedRun(sql, lease.runId)
      if ((yield* held(sql, [lease], "UPDATE")).length === 0) return
      const [row] = yield* sql<{ readonly wakes: boolean }>`SELECT EXISTS (SELECT FROM task_conductor_answers
          WHERE run_id = ${lease.runId} AND question IN (SELECT jsonb_array_elements_text(${JSON.stringify(questions)}::jsonb)))
        OR EXISTS (SELECT FROM jsonb_array_elements_text(${pieces}::jsonb) AS g(id) WHERE NOT EXISTS (
          SELECT FROM ${sql.literal(jobs)} WHERE name = ANY(string_to_array(${queuesLike(lease.queue).join(",")}, ','))
            AND id = g.id::uuid AND state < 'active' AND ${sql.literal(rests)})) AS wakes`
      yield* use((boss, options) => boss.fail(lease.queue, asAttempt(lease), null, options))
      if (row?.wakes !== false) return
      yield* use((boss, options) =>
        boss.update(lease.queue, undefined, { id: lease.id, startAfter: never, ...options })
      )
    })
    return retryTransient(transaction(sql, rest))
  })

const makeWork = (sql: SqlClient.SqlClient, queues: WorkQueues["Service"]) => {
  const { use } = queues
  const give = (lease: Lease, why: string | undefined): Effect.Effect<unknown, SqlError> => {
    const back = use((boss, options) => boss.fail(lease.queue, asAttempt(lease), null, options))
    if (why === undefined) return back
    const decline = sql`WITH held AS (${held(sql, [lease])})
      INSERT INTO task_conductor_declined (run_id, id, worker, why)
      SELECT ${lease.runId}, held.id, ${lease.worker}, ${why.replaceAll("\0", "")} FROM held
      ON CONFLICT (id, worker) DO UPDATE SET why = excluded.why`
    return transaction(sql, Effect.andThen(decline, back))
  }
  return ClusterWork.of({
    claim: makeClaim(sql, queues),
    renew: makeRenew(sql, queues),
    giveBack: Effect.fn("ClusterWork.giveBack")((lease, why) => Effect.asVoid(retryTransient(give(lease, why)))),
    rest: makeRest(sql, queues),
    offer: makeOffer(sql, queues),
    end: makeEnd(sql, queues),
    append: makeAppend(sql, queues),
    results: Effect.fn("ClusterWork.results")(function* ({ leader, queue }, keys) {
      const byId = new Map(keys.map((key) => [pieceId(leader, key), key]))
      const rows = yield* retryTransient(sql<{ readonly id: string; readonly result: string | null }>`
        SELECT id, output ->> 'result' AS result FROM ${sql.literal(jobs)}
        WHERE name = ANY(string_to_array(${queuesLike(queue).join(",")}, ','))
          AND id IN (SELECT jsonb_array_elements_text(${JSON.stringify([...byId.keys()])}::jsonb)::uuid)
          AND (state = 'completed' OR state < 'active' AND ${sql.literal(rests)})`)
      return new Map(rows.map(({ id, result }) => [byId.get(id) ?? "", result ?? undefined]))
    }),
    answer: Effect.fn("ClusterWork.answer")((runId, question, answer) => {
      const save = Effect.gen(function* () {
        const [run] = yield* sql<{ readonly program: string }>`SELECT program FROM task_conductor_runs
          WHERE run_id = ${runId} FOR NO KEY UPDATE`
        if (run === undefined) return
        yield* sql`INSERT INTO task_conductor_answers (run_id, question, answer) VALUES (${runId}, ${question}, ${answer})
          ON CONFLICT DO NOTHING`
        yield* wake(sql, queues, runId, queuesOf(run.program))
      })
      return retryTransient(transaction(sql, save))
    }),
    answers: Effect.fn("ClusterWork.answers")((questions) => {
      const query = sql<
        RunQuestion & { readonly answer: string }
      >`SELECT a.run_id AS "runId", a.question, a.answer FROM task_conductor_answers a
        JOIN jsonb_to_recordset(${JSON.stringify(questions)}::jsonb) AS g("runId" text, question text)
          ON g."runId" = a.run_id AND g.question = a.question`
      return retryTransient(query)
    })
  })
}

export const layerBossWork = Layer.effect(
  ClusterWork,
  Effect.gen(function* () {
    return makeWork(yield* SqlClient.SqlClient, yield* WorkQueues)
  })
)
