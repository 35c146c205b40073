/**
 * The cluster runs in their database. Clients start and follow them, and workers execute them.
 */
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { randomUUID } from "node:crypto"
import {
  type CallIntent,
  ClusterRun,
  ClusterRunEnding,
  EventPublished,
  JournalRecord
} from "../../domain/journal/JournalRecord.ts"
import type { RunEvent } from "../../domain/runs/RunEvent.ts"
import { addModelCall, exitCodeOf, noUsage } from "../../domain/runs/RunReport.ts"
import { retryTransient, type DatabaseUnavailable } from "./ClusterDatabase.ts"
import type { Redact } from "./WithoutSecrets.ts"
import { type JournalLine, lineOf, parseJson } from "../journal/JournalLine.ts"
import type { RunsKept } from "../../domain/configuration/Configuration.ts"
import { JournalError } from "../journal/JournalError.ts"
import type { RunSummary } from "../../domain/history/RunOverview.ts"
import { chooseRun, RunStore } from "../history/RunStore.ts"

/** Another worker has begun the call, or finished it. The call is looked at again from its beginning. */
export class BegunElsewhere extends Schema.TaggedError<BegunElsewhere>()("BegunElsewhere", { key: Schema.String }) {}

/** The first message to a run and to each of its tasks holds the id of the run; quotes within texts are escaped there. */
const namesRun = (runId: string): string => `"runId":${JSON.stringify(runId)}`

/** Another run is changing the project. */
export class ProjectShared extends Schema.TaggedError<ProjectShared>()("ProjectShared", {
  project: Schema.String,
  runId: Schema.String,
  begunAt: Schema.String
}) {
  override get message(): string {
    return `The run ${this.runId}, begun at ${this.begunAt}, works on ${this.project}. Wait for it, end it with "task-conductor cancel ${this.runId}", or run with --read-only what changes nothing.`
  }
}

/** The state of a cluster run. */
export interface ClusterRunState {
  readonly run: ClusterRun
  /** Size of its records. */
  readonly bytes: number
  readonly begunAt: string
  readonly isCancelled: boolean
  /** Present when the run has ended. */
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

const encodeRecord = Schema.encodeSync(JournalRecord)
const runJson = Schema.fromJsonString(Schema.toCodecJson(ClusterRun))
const encodeRun = Schema.encodeSync(runJson)
const decodeRun = Schema.decodeSync(runJson)
const endingCodec = Schema.toCodecJson(ClusterRunEnding)
const endingJson = Schema.fromJsonString(endingCodec)
/** The ending of a run that is cancelled before it starts. */
export const cancelledEnding: ClusterRunEnding = {
  refused: "The run was cancelled before it began.",
  exitCode: exitCodeOf("interrupted")
}
const encodeEnding = Schema.encodeSync(endingCodec)
const decodeEnding = Schema.decodeSync(endingJson)

const decodeEvent = Schema.decodeSync(Schema.fromJsonString(Schema.toCodecJson(EventPublished)))

const standingOf = ({ begun_at: begunAt, bytes, cancelled: isCancelled, ending, shared }: RunRow): ClusterRunState => ({
  run: decodeRun(shared),
  begunAt,
  bytes,
  isCancelled,
  ...(ending === null ? {} : { ending: decodeEnding(ending) })
})

/** Lines in the database need no checksum. */
const lineOfRow = ({ at, json, seq }: RecordRow): JournalLine => lineOf({ seq, at, json: parseJson(json), text: "" })

const makeRuns = (sql: SqlClient.SqlClient) => {
  const nowIso = Effect.map(DateTime.now, DateTime.formatIso)
  const selectRuns = sql.literal(
    "SELECT run_id, begun_at, shared, cancelled, ending, size::float8 AS bytes FROM task_conductor_runs"
  )

  const busyWith = Effect.fnUntraced(function* (project: string) {
    const [row] = yield* retryTransient(
      sql<RunRow>`${selectRuns} WHERE project = ${project} AND ending IS NULL AND NOT read_only`
    )
    return row === undefined ? undefined : new ProjectShared({ project, runId: row.run_id, begunAt: row.begun_at })
  })

  /** Starts a run; one run at a time may change a project. */
  const submit = Effect.fn("ClusterRuns.submit")(function* (run: ClusterRun) {
    const { order, project } = run.opened
    const insert = sql`INSERT INTO task_conductor_runs (run_id, project, read_only, begun_at, shared)
      VALUES (${order.runId}, ${project}, ${order.readOnly === true}, ${yield* nowIso}, ${encodeRun(run)})
      ON CONFLICT DO NOTHING RETURNING run_id`
    for (;;) {
      if ((yield* retryTransient(insert)).length > 0) return
      const busy = yield* busyWith(project)
      /* The other one may have ended between the two queries. */
      if (busy !== undefined) return yield* busy
    }
  })

  return {
    submit,
    /** The state of a run; nothing when there is no such run. */
    standing: Effect.fn("ClusterRuns.standing")(function* (runId: string) {
      const [row] = yield* retryTransient(sql<RunRow>`${selectRuns} WHERE run_id = ${runId}`)
      return row === undefined ? undefined : standingOf(row)
    }),
    /** All runs, the newest first. A run of another version may not be readable; this version ignores it. */
    list: Effect.map(retryTransient(sql<RunRow>`${selectRuns} ORDER BY begun_at DESC, run_id DESC`), (rows) =>
      rows.flatMap((row) =>
        Result.getOrElse(
          Result.try(() => [standingOf(row)]),
          () => []
        )
      )
    ),
    /** Removes a run that has ended, with all that was saved of it; false for one that has not. */
    remove: Effect.fn("ClusterRuns.remove")((runId: string) => {
      const remove = Effect.gen(function* () {
        const removed = yield* sql`DELETE FROM task_conductor_runs
          WHERE run_id = ${runId} AND ending IS NOT NULL RETURNING run_id`
        if (removed.length === 0) return false
        /* A client may remove runs where no engine has made its tables yet. */
        const [engine] = yield* sql<{ readonly found: boolean }>`
          SELECT to_regclass('task_conductor_replies') IS NOT NULL AS found`
        if (engine?.found !== true) return true
        const ids = sql`SELECT entity_id FROM task_conductor_messages
          WHERE tag = 'run' AND strpos(payload, ${namesRun(runId)}) > 0`
        yield* sql`DELETE FROM task_conductor_replies WHERE request_id IN
          (SELECT request_id FROM task_conductor_messages WHERE entity_id IN (${ids}))`
        yield* sql`DELETE FROM task_conductor_messages WHERE entity_id IN (${ids})`
        return true
      })
      return retryTransient(sql.withTransaction(remove))
    }),
    /** Adds a record; `redact` takes secrets out of it. Returns when it is committed. */
    append: Effect.fnUntraced(function* (runId: string, record: JournalRecord, redact: Redact) {
      const json = JSON.stringify(redact(encodeRecord(record) as Schema.Json))
      const key = "key" in record ? record.key : ""
      const event = record.type === "event" ? record.event.type : ""
      yield* retryTransient(sql`WITH run AS (
          UPDATE task_conductor_runs SET records = records + 1, size = size + ${Buffer.byteLength(json)}
          WHERE run_id = ${runId} RETURNING records
        ) INSERT INTO task_conductor_records (run_id, seq, at, type, key, event, json, token)
          SELECT ${runId}, records, ${yield* nowIso}, ${record.type}, ${key}, ${event}, ${json}, ${randomUUID()}::uuid
          FROM run
          ON CONFLICT (token) DO NOTHING`)
    }),
    /** Adds the intent of a call after its intent `known`; no number when another worker has begun or finished it since. */
    intend: Effect.fnUntraced(function* (runId: string, intent: CallIntent, known: number, redact: Redact) {
      const json = JSON.stringify(redact(encodeRecord(intent) as Schema.Json))
      const { key } = intent
      const at = yield* nowIso
      const token = randomUUID()
      const save = Effect.gen(function* () {
        /* The row of the run is locked first: a statement sees only what was committed before it began. */
        const [run] = yield* sql<{ readonly records: number }>`UPDATE task_conductor_runs
          SET records = records + 1, size = size + ${Buffer.byteLength(json)} WHERE run_id = ${runId} RETURNING records`
        const found = yield* sql<{ readonly seq: number; readonly mine: boolean }>`
          SELECT seq, token = ${token}::uuid AS mine FROM task_conductor_records WHERE run_id = ${runId}
            AND type IN ('intent', 'outcome') AND md5(key) = md5(${key}) AND key = ${key} AND seq > ${known}`
        if (run === undefined) return undefined
        /* The answer to an earlier attempt was lost. */
        const mine = found.find((one) => one.mine)
        if (mine !== undefined) return mine.seq
        if (found.length > 0) return undefined
        yield* sql`INSERT INTO task_conductor_records (run_id, seq, at, type, key, event, json, token)
          VALUES (${runId}, ${run.records}, ${at}, 'intent', ${key}, '', ${json}, ${token}::uuid)`
        return run.records
      })
      return yield* retryTransient(sql.withTransaction(save))
    }),
    /** The records of a run after this one, at most 1,000. */
    after: Effect.fnUntraced(function* (runId: string, seq: number) {
      const rows = yield* retryTransient(sql<RecordRow>`SELECT seq, at, json FROM task_conductor_records
        WHERE run_id = ${runId} AND seq > ${seq} ORDER BY seq LIMIT 1000`)
      return rows.map(lineOfRow)
    }),
    /** The last record of a type with this key. */
    last: Effect.fnUntraced(function* (runId: string, type: JournalRecord["type"], key: string) {
      const [row] = yield* retryTransient(sql<RecordRow>`SELECT seq, at, json FROM task_conductor_records
        WHERE run_id = ${runId} AND type = ${type} AND md5(key) = md5(${key}) AND key = ${key} ORDER BY seq DESC LIMIT 1`)
      return row === undefined ? undefined : lineOfRow(row)
    }),
    /** The records of a type whose keys are this one with a hash, in order. */
    at: Effect.fnUntraced(function* (runId: string, type: JournalRecord["type"], place: string) {
      const rows = yield* retryTransient(sql<RecordRow>`SELECT seq, at, json FROM task_conductor_records
        WHERE run_id = ${runId} AND type = ${type} AND split_part(key, '#', 1) = ${place} ORDER BY seq`)
      return rows.map(lineOfRow)
    }),
    /** The usage of the run so far but for its duration, computed from its events. */
    usage: Effect.fn("ClusterRuns.usage")(function* (runId: string) {
      const [tools] = yield* retryTransient(sql<{ readonly count: number }>`
        SELECT count(*)::int FROM task_conductor_records WHERE run_id = ${runId} AND event = ${toolFinished}`)
      const rows = yield* retryTransient(sql<Pick<RecordRow, "json">>`
        SELECT json FROM task_conductor_records WHERE run_id = ${runId} AND event = ${modelFinished}`)
      const used = rows.reduce((sum, { json }) => {
        const { event } = decodeEvent(json)
        return event.type === "model.finished" ? addModelCall(sum, event.usage) : sum
      }, noUsage)
      return { ...used, toolCalls: tools?.count ?? 0 }
    }),
    /** Saves how the run has ended. */
    end: Effect.fn("ClusterRuns.end")(function* (runId: string, ending: ClusterRunEnding, redact: Redact) {
      yield* retryTransient(sql`UPDATE task_conductor_runs SET ending = ${JSON.stringify(redact(encodeEnding(ending)))}
        WHERE run_id = ${runId} AND ending IS NULL`)
    }),
    /** Asks the workers to end a run; false when it had ended before. */
    cancel: Effect.fn("ClusterRuns.cancel")(function* (runId: string) {
      const rows = yield* retryTransient(sql`UPDATE task_conductor_runs SET cancelled = true
        WHERE run_id = ${runId} AND ending IS NULL RETURNING run_id`)
      if (rows.length === 0) return false
      /* No worker executes the run, so no worker would save its ending. */
      yield* retryTransient(sql`UPDATE task_conductor_runs SET ending = ${JSON.stringify(encodeEnding(cancelledEnding))}
        WHERE run_id = ${runId} AND ending IS NULL
          AND NOT EXISTS (SELECT FROM task_conductor_records WHERE run_id = ${runId} AND type = 'event')`)
      return true
    })
  }
}

export class ClusterRuns extends Context.Service<ClusterRuns>()("task-conductor/services/cluster/ClusterRuns", {
  make: Effect.map(SqlClient.SqlClient, makeRuns)
}) {
  static readonly layer = Layer.effect(this, this.make)
}

/** Removes what is older or more than what is kept, and returns the ids. A run that has not ended is never removed. */
export const removeOldRuns = Effect.fn("removeOldRuns")(function* ({
  days,
  newest
}: RunsKept): Effect.fn.Return<ReadonlyArray<string>, DatabaseUnavailable, ClusterRuns> {
  const runs = yield* ClusterRuns
  const before = days === undefined ? "" : DateTime.formatIso(DateTime.subtract(yield* DateTime.now, { days }))
  const all = yield* runs.list
  const old = all.filter(
    ({ begunAt, ending }, at) => ending !== undefined && (begunAt < before || (newest !== undefined && at >= newest))
  )
  const removed = yield* Effect.filter(old, ({ run }) => runs.remove(run.opened.order.runId))
  return removed.map(({ run }) => run.opened.order.runId)
})

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

/** The store over the database. */
export const layerClusterStore = Layer.effect(
  RunStore,
  Effect.map(ClusterRuns, (runs) => {
    const list = Effect.orDie(runs.list)

    const linesOf = Effect.fnUntraced(function* (runId: string) {
      const lines: Array<JournalLine> = []
      for (;;) {
        const more = yield* runs.after(runId, lines.at(-1)?.seq ?? 0)
        if (more.length === 0) return lines
        lines.push(...more)
      }
    })

    return RunStore.of({
      list: Effect.map(list, (all) => all.map(summaryOf)),
      find: (given) =>
        Effect.flatMap(list, (all) =>
          chooseRun(
            given,
            all.map(({ run }) => run.opened.order.runId)
          )
        ),
      read: Effect.fn("ClusterStore.read")(function* (runId) {
        const standing = yield* Effect.mapError(runs.standing(runId), unread(runId))
        if (standing === undefined) {
          return yield* new JournalError({ path: pathOf(runId), reason: { _tag: "Missing" } })
        }
        const lines = yield* Effect.mapError(linesOf(runId), unread(runId))
        return { opened: standing.run.opened, lines, size: standing.bytes, torn: new Uint8Array() }
      }),
      pathOf,
      holder: () => Effect.undefined,
      remove: (runId) => Effect.orDie(runs.remove(runId))
    })
  })
)
