/** The table of cluster runs and their records, for clients and workers. */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { randomUUID } from "node:crypto"
import type { RunsKept } from "../../kit/program.ts"
import {
  addModelCall,
  chooseRun,
  ClusterRun,
  ClusterRunEnding,
  EventPublished,
  exitCodeOf,
  isOtherBuild,
  JournalError,
  type JournalLine,
  JournalRecord,
  lineOf,
  noUsage,
  parseJson,
  readRecord,
  RunStore,
  type RunSummary
} from "../../kit/runs.ts"
import type { RunEvent } from "../../plugin-kit.ts"
import { retryTransient, type DatabaseUnavailable } from "./DatabaseErrors.ts"
import { transaction } from "./ClusterDatabase.ts"
import { ProjectShared } from "./RunErrors.ts"
import { offerRun, removePieces } from "./BossWork.ts"
import { aliveSeconds } from "./ClusterWorkers.ts"
import { isLed, queuesOf, WorkQueues } from "./WorkQueues.ts"
import type { Redact } from "./WithoutSecrets.ts"

export interface ClusterRunState {
  readonly run: ClusterRun
  /** The size of the run's records. */
  readonly bytes: number
  readonly begunAt: string
  readonly isCancelled: boolean
  readonly ending?: ClusterRunEnding
}

interface RunRow {
  readonly run_id: string
  readonly begun_at: string
  readonly shared: string
  readonly cancelled: boolean
  readonly ending: string | null
  readonly bytes: number
}

interface RecordRow {
  readonly seq: number
  readonly at: string
  readonly json: string
}

const toolFinished: RunEvent["type"] = "tool.finished"
const modelFinished: RunEvent["type"] = "model.finished"

export const encodeRecord = Schema.encodeSync(JournalRecord)

/** The key of a record; empty if it has none. `eventIn` returns the type of its event. */
export const keyIn = (record: JournalRecord): string => ("key" in record ? record.key : "")
export const eventIn = (record: JournalRecord): string => (record.type === "event" ? record.event.type : "")

const runJson = Schema.fromJsonString(Schema.toCodecJson(ClusterRun))
const encodeRun = Schema.encodeSync(runJson)
const decodeRun = Schema.decodeSync(runJson)
const endingCodec = Schema.toCodecJson(ClusterRunEnding)
const endingJson = Schema.fromJsonString(endingCodec)
/** The ending of a cancelled run for which no worker has a report. */
export const cancelledEnding: ClusterRunEnding = {
  refused: "The run was cancelled while no worker worked on it.",
  exitCode: exitCodeOf("interrupted")
}
export const encodeEnding = Schema.encodeSync(endingCodec)
const decodeEnding = Schema.decodeSync(endingJson)

const decodeEvent = Schema.decodeSync(Schema.fromJsonString(Schema.toCodecJson(EventPublished)))

const standingOf = ({ begun_at: begunAt, bytes, cancelled: isCancelled, ending, shared }: RunRow): ClusterRunState => ({
  run: decodeRun(shared),
  begunAt,
  bytes,
  isCancelled,
  ...(ending === null ? {} : { ending: decodeEnding(ending) })
})

const mostEvents = 1000

/** A record as a line of a journal. The line has no checksum, because the database needs none. */
const lineOfRow = ({ at, json, seq }: RecordRow): JournalLine => lineOf({ seq, at, json: parseJson(json), text: "" })

const nowIso = Effect.map(DateTime.now, DateTime.formatIso)

const selectRuns = (sql: SqlClient.SqlClient) =>
  sql.literal("SELECT run_id, begun_at, shared, cancelled, ending, size::float8 AS bytes FROM task_conductor_runs")

/** The functions that both `submit` and `reopen` use. */
const makeBeginning = (sql: SqlClient.SqlClient) => {
  const busyWith = Effect.fnUntraced(function* (project: string) {
    const [row] = yield* retryTransient(
      sql<RunRow>`${selectRuns(sql)} WHERE project = ${project} AND ending IS NULL AND NOT read_only`
    )
    return row === undefined ? undefined : new ProjectShared({ project, runId: row.run_id, begunAt: row.begun_at })
  })

  /** Appends records that a client writes. The run must exist. */
  const append = Effect.fnUntraced(function* (runId: string, records: ReadonlyArray<JournalRecord>, redact: Redact) {
    const at = yield* nowIso
    for (const record of records) {
      const json = JSON.stringify(redact(encodeRecord(record) as Schema.Json))
      yield* sql`WITH run AS (
          UPDATE task_conductor_runs SET records = records + 1, size = size + ${Buffer.byteLength(json)}
          WHERE run_id = ${runId} RETURNING records
        ) INSERT INTO task_conductor_records (run_id, seq, at, type, key, event, json, token)
          SELECT ${runId}, records, ${at}, ${record.type}, ${keyIn(record)}, ${eventIn(record)}, ${json}, ${randomUUID()}::uuid
          FROM run`
    }
  })

  /** Repeats `attempt` until it returns true. Fails if another active run changes the same project. */
  const begin = Effect.fnUntraced(function* (
    project: string,
    attempt: Effect.Effect<boolean, SqlError>
  ): Effect.fn.Return<void, ProjectShared | DatabaseUnavailable> {
    for (;;) {
      if (yield* retryTransient(transaction(sql, attempt))) return
      const busy = yield* busyWith(project)
      /* Another run prevented the attempt. If that run has ended since, the attempt is repeated. */
      if (busy !== undefined) return yield* busy
    }
  })

  return { append, begin }
}

const makeRunChanges = (sql: SqlClient.SqlClient, queues: WorkQueues["Service"]) => {
  const { append, begin } = makeBeginning(sql)

  /** Saves and queues a new run. The first of `records` is its `opened` record. */
  const submit = Effect.fn("ClusterRuns.submit")(function* (
    run: ClusterRun,
    records: ReadonlyArray<JournalRecord>,
    redact: Redact
  ) {
    const { order, program, project } = run.opened
    const begunAt = yield* nowIso
    const leader = randomUUID()
    yield* retryTransient(queues.ensure(program))
    /* If the database's answer to a commit was lost, the insert is tried again and finds the run. */
    const isThere = sql`SELECT FROM task_conductor_runs WHERE run_id = ${order.runId}`
    const insert = sql`INSERT INTO task_conductor_runs (run_id, project, program, read_only, begun_at, shared, leader)
      VALUES (${order.runId}, ${project}, ${program}, ${order.readOnly === true}, ${begunAt}, ${encodeRun(run)}, ${leader})
      ON CONFLICT DO NOTHING RETURNING run_id`
    yield* begin(
      project,
      Effect.gen(function* () {
        if ((yield* insert).length === 0) return (yield* isThere).length > 0
        yield* append(order.runId, records, redact)
        yield* offerRun(queues, { runId: order.runId, leader, program, priority: run.priority ?? 0 })
        return true
      })
    )
  })

  return {
    submit,
    /**
     * Opens a run again with new settings. The run must have ended, or belong to another build without a live worker.
     * Returns false otherwise.
     */
    reopen: Effect.fn("ClusterRuns.reopen")(function* (run: ClusterRun) {
      const { order, program, project } = run.opened
      const { runId } = order
      const leader = randomUUID()
      yield* retryTransient(queues.ensure(program))
      let isFree = true
      yield* begin(
        project,
        Effect.gen(function* () {
          const [row] = yield* sql<Pick<RunRow, "ending"> & { readonly program: string; readonly led: boolean }>`
            SELECT ending, program, ${sql.literal(isLed)} AND EXISTS (SELECT FROM task_conductor_workers a
              WHERE a.name = r.led_by AND a.seen_at > clock_timestamp() - interval '${sql.literal(String(aliveSeconds))} seconds') AS led FROM task_conductor_runs r WHERE run_id = ${runId} FOR NO KEY UPDATE`
          isFree = row !== undefined && (row.ending !== null || (isOtherBuild(row.program, program) && !row.led))
          if (row === undefined || !isFree) return true
          const others = yield* sql`SELECT FROM task_conductor_runs
            WHERE run_id <> ${runId} AND project = ${project} AND ending IS NULL AND NOT read_only`
          if (others.length > 0 && order.readOnly !== true) return false
          yield* sql`UPDATE task_conductor_runs SET ending = NULL, cancelled = false, program = ${program}, project = ${project},
            shared = ${encodeRun(run)}, leader = ${leader} WHERE run_id = ${runId}`
          /* Deletes negative answers, so that these questions are asked again. */
          yield* sql`DELETE FROM task_conductor_answers
            WHERE run_id = ${runId} AND answer::jsonb ->> 'answer' IN ('decline', 'deny', 'nothing', 'stop')`
          yield* sql`DELETE FROM task_conductor_declined WHERE run_id = ${runId}`
          yield* removePieces(sql, queues, runId, queuesOf(row.program))
          yield* offerRun(queues, { runId, leader, program, priority: run.priority ?? 0 })
          return true
        })
      )
      return isFree
    }),
    /**
     * Asks the workers to end a run. A run without a worker ends at once. Returns false if the run had already ended.
     */
    cancel: Effect.fn("ClusterRuns.cancel")(function* (runId: string) {
      const rows = yield* retryTransient(sql`UPDATE task_conductor_runs SET cancelled = true
        WHERE run_id = ${runId} AND ending IS NULL RETURNING run_id`)
      yield* retryTransient(queues.ready)
      const end = Effect.gen(function* () {
        const ended = yield* sql<{ readonly program: string }>`UPDATE task_conductor_runs r
          SET ending = ${JSON.stringify(encodeEnding(cancelledEnding))}
          WHERE r.run_id = ${runId} AND r.ending IS NULL AND NOT ${sql.literal(isLed)} RETURNING r.program`
        for (const { program } of ended) yield* removePieces(sql, queues, runId, queuesOf(program))
      })
      yield* retryTransient(transaction(sql, end))
      return rows.length > 0
    })
  }
}

const makeRemovals = (sql: SqlClient.SqlClient) => ({
  /** Removes an ended run with all its data. Returns false if the run has not ended. */
  remove: Effect.fn("ClusterRuns.remove")((runId: string) => {
    const removed = sql`DELETE FROM task_conductor_runs
      WHERE run_id = ${runId} AND ending IS NOT NULL RETURNING run_id`
    return Effect.map(retryTransient(removed), ({ length }) => length > 0)
  }),
  /** Removes ended runs that are older than `days` days, or not among the `newest` runs. Returns their ids. */
  removeOld: Effect.fn("ClusterRuns.removeOld")(function* ({ days, newest = 2 ** 31 }: RunsKept) {
    const before = days === undefined ? "" : DateTime.formatIso(DateTime.subtract(yield* DateTime.now, { days }))
    const rows = yield* retryTransient(sql<{ readonly runId: string }>`DELETE FROM task_conductor_runs
      WHERE ending IS NOT NULL AND (begun_at < ${before} OR run_id IN (SELECT run_id FROM task_conductor_runs
        ORDER BY begun_at DESC, run_id DESC OFFSET ${newest}::bigint)) RETURNING run_id AS "runId"`)
    return rows.map(({ runId }) => runId)
  })
})

const makeRunQueries = (sql: SqlClient.SqlClient) => ({
  /** The state of a run. Undefined if there is no such run. */
  standing: Effect.fn("ClusterRuns.standing")(function* (runId: string) {
    const [row] = yield* retryTransient(sql<RunRow>`${selectRuns(sql)} WHERE run_id = ${runId}`)
    return row === undefined ? undefined : standingOf(row)
  }),
  /** All runs, the newest first, except those of other versions that this version cannot read. */
  list: Effect.map(retryTransient(sql<RunRow>`${selectRuns(sql)} ORDER BY begun_at DESC, run_id DESC`), (rows) =>
    rows.flatMap((row) =>
      Result.getOrElse(
        Result.try(() => [standingOf(row)]),
        () => []
      )
    )
  ),
  records: Effect.fnUntraced(function* (runId: string) {
    const lines: Array<JournalLine> = []
    for (;;) {
      const rows = yield* retryTransient(sql<RecordRow>`SELECT seq, at, json FROM task_conductor_records
        WHERE run_id = ${runId} AND seq > ${lines.at(-1)?.seq ?? 0} ORDER BY seq LIMIT 1000`)
      if (rows.length === 0) return lines
      lines.push(...rows.map(lineOfRow))
    }
  }),
  /** At most `mostEvents` events of a run after the record `seq`. `ending` is absent while more events are left. */
  news: Effect.fnUntraced(function* (runId: string, seq: number) {
    const rows = yield* retryTransient(sql<
      Pick<RunRow, "cancelled" | "ending"> & { readonly program: string } & (RecordRow | { readonly seq: null })
    >`
      SELECT r.cancelled, r.ending, r.program, e.seq, e.at, e.json FROM task_conductor_runs r LEFT JOIN LATERAL (
          SELECT seq, at, json FROM task_conductor_records
          WHERE run_id = r.run_id AND seq > ${seq} AND type = 'event' ORDER BY seq LIMIT ${mostEvents}) e ON true
        WHERE r.run_id = ${runId} ORDER BY e.seq`)
    const ending = rows[0]?.ending ?? undefined
    const isAll = rows.length < mostEvents
    return {
      events: rows.flatMap((row) => (row.seq === null ? [] : lineOfRow(row))),
      isAll,
      isCancelled: rows[0]?.cancelled === true,
      version: rows[0]?.program ?? "",
      ...(ending === undefined || !isAll ? {} : { ending: decodeEnding(ending) })
    }
  }),
  /** The records that a resumed run needs, from all workers, after the record `seq`. */
  known: Effect.fn("ClusterRuns.known")(function* (runId: string, seq: number) {
    const rows = yield* retryTransient(sql<RecordRow>`SELECT seq, at, json FROM task_conductor_records
      WHERE run_id = ${runId} AND seq > ${seq} AND type IN ('outcome', 'settled', 'answer', 'intent') ORDER BY seq`)
    return rows.map(lineOfRow)
  }),
  hasBegun: Effect.fn("ClusterRuns.hasBegun")((runId: string) => {
    const query = sql`SELECT FROM task_conductor_records WHERE run_id = ${runId} AND type = 'event' LIMIT 1`
    return Effect.map(retryTransient(query), ({ length }) => length > 0)
  }),
  /** The usage of the run so far, computed from its events. It has no duration. */
  usage: Effect.fn("ClusterRuns.usage")(function* (runId: string) {
    const rows = yield* retryTransient(sql<{ readonly event: string; readonly json: string | null }>`
      SELECT event, CASE WHEN event = ${modelFinished} THEN json END AS json FROM task_conductor_records
      WHERE run_id = ${runId} AND event IN (${toolFinished}, ${modelFinished})`)
    const used = rows.reduce((sum, { json }) => {
      const event = json === null ? undefined : decodeEvent(json).event
      return event?.type === "model.finished" ? addModelCall(sum, event.usage) : sum
    }, noUsage)
    return { ...used, toolCalls: rows.filter(({ json }) => json === null).length }
  }),
  /** Active runs of other versions or builds, which workers of this build do not touch. */
  ofOthers: Effect.fn("ClusterRuns.ofOthers")((program: string) => {
    const query = sql<{ readonly runId: string; readonly program: string }>`SELECT run_id AS "runId", program
      FROM task_conductor_runs WHERE ending IS NULL`
    return Effect.map(retryTransient(query), (all) => all.filter((run) => isOtherBuild(run.program, program)))
  })
})

export class ClusterRuns extends Context.Service<ClusterRuns>()("task-conductor/plugins/cluster/ClusterRuns", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return { ...makeRunChanges(sql, yield* WorkQueues), ...makeRemovals(sql), ...makeRunQueries(sql) }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

const summaryOf = ({ begunAt, bytes, ending, run }: ClusterRunState): RunSummary => {
  const { order, project, settings } = run.opened
  const ended = ending === undefined || "refused" in ending ? "failed" : ending.status
  return {
    runId: order.runId,
    standing: ending === undefined ? "running" : ended,
    startedAt: begunAt,
    project,
    prompt: order.prompt,
    bytes,
    model: settings.model
  }
}

const pathOf = (runId: string): string => `of the run ${runId} in the database`

const unread = (runId: string) => (error: DatabaseUnavailable) =>
  new JournalError({ path: pathOf(runId), reason: { _tag: "DatabaseFailed", what: error.what } })

/** `RunStore` over the database, for the commands that list, show and remove runs. */
export const layerClusterStore = Layer.effect(
  RunStore,
  Effect.map(ClusterRuns, (runs) => {
    const list = Effect.orDie(runs.list)

    return RunStore.of({
      list: Effect.map(list, (all) => all.map(summaryOf)),
      find: (runId) =>
        Effect.flatMap(list, (all) =>
          chooseRun(
            runId,
            all.map(({ run }) => run.opened.order.runId)
          )
        ),
      read: Effect.fn("ClusterStore.read")(function* (runId) {
        const standing = yield* Effect.mapError(runs.standing(runId), unread(runId))
        if (standing === undefined) {
          return yield* new JournalError({ path: pathOf(runId), reason: { _tag: "Missing" } })
        }
        const lines = yield* Effect.mapError(runs.records(runId), unread(runId))
        /*
         * The first record has the settings from the start of the run. The row has newer settings if the run was
         * resumed.
         */
        const [first] = lines
        const record = first === undefined ? undefined : readRecord(first)
        const opened = record?.type === "opened" ? record : standing.run.opened
        return { opened, lines, size: standing.bytes, torn: new Uint8Array() }
      }),
      pathOf,
      holder: () => Effect.undefined,
      remove: (runId) => Effect.orDie(runs.remove(runId))
    })
  })
)
