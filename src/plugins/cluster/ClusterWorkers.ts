/**
 * The workers of a cluster as they describe themselves in its database: who works there, with which version and how much,
 * and when it was seen last.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as SqlClient from "effect/sql/SqlClient"
import { retryTransient } from "./DatabaseErrors.ts"
import type { Presence } from "./ClusterWork.ts"
import { isOtherBuild, ModelProgress } from "../../kit/runs.ts"
import { printable } from "../../kit/text.ts"
import { modelCallKey, type RecordedEvent } from "../../plugin-kit.ts"

/** A model call of a run, and when it was so far; ISO 8601. */
export const CallProgress = Schema.Struct({ runId: Schema.String, at: Schema.String, event: ModelProgress })
export type CallProgress = typeof CallProgress.Type

/** Calls say every second how far they are; one that has said nothing for this time has ended, in milliseconds. */
const quietTime = 4000

/** More calls than this are not shown anywhere. */
const mostCalls = 40

/** How far the model calls of this worker are; there are none at first. */
export const makeCallProgressBoard = () => {
  const calls = new Map<string, CallProgress>()
  return {
    /** Takes an event of a run. */
    take: (runId: string, { at, event }: RecordedEvent): void => {
      if (event.type !== "model.progress" && event.type !== "model.finished" && event.type !== "model.failed") return
      const key = JSON.stringify([runId, modelCallKey(event.call)])
      if (event.type === "model.progress") calls.set(key, { runId, at, event })
      else calls.delete(key)
    },
    /** The calls that go on at this time, in milliseconds. */
    shown: (now: number): ReadonlyArray<CallProgress> => {
      for (const [key, { at }] of calls) if (now - Date.parse(at) > quietTime) calls.delete(key)
      return [...calls.values()].slice(0, mostCalls)
    }
  }
}

export type CallProgressBoard = ReturnType<typeof makeCallProgressBoard>

/** What a worker says of itself. */
export const WorkerReport = Schema.Struct({
  /** Host and process. */
  name: Schema.String,
  version: Schema.String,
  /** ISO 8601. */
  begunAt: Schema.String,
  /** The number of model calls at once. */
  slots: Schema.Int,
  /** Runs that it leads, and tasks that it works on now. */
  runs: Schema.Int,
  tasks: Schema.Int,
  /** Why its model server does not answer; absent when it does. */
  serverGone: Schema.optionalKey(Schema.String),
  /** True when it has been gone for so long that nobody waits for it; absent otherwise. */
  hasGivenUp: Schema.optionalKey(Schema.Literal(true)),
  /** How far its model calls are; absent when there are none. */
  progress: Schema.optionalKey(Schema.Array(CallProgress))
})
export type WorkerReport = typeof WorkerReport.Type

/** A worker, and how many seconds ago it was seen last. */
export interface WorkerState extends WorkerReport {
  readonly seenSecondsAgo: number
  /** False when it was not seen for longer than its leases last. */
  readonly isAlive: boolean
}

/** A worker that was not seen for this time counts as dead. */
export const aliveSeconds = 15

/** A worker says every two seconds that it is there. */
export const reportInterval = "2 seconds"

/** A worker that was seen within this time says how far its calls are. */
const freshSeconds = 4

const reportJson = Schema.fromJsonString(WorkerReport)
const encodeReport = Schema.encodeSync(reportJson)
const decodeReport = Schema.decodeSync(reportJson)

/** What a worker says of itself, as it is saved. */
export const presenceOf = (worker: WorkerReport): Presence => ({
  name: worker.name,
  begunAt: worker.begunAt,
  program: worker.version,
  report: encodeReport(worker)
})

/** Says that a worker is there. */
export const sayPresent = (sql: SqlClient.SqlClient, { begunAt, name, program, report }: Presence) =>
  sql`INSERT INTO task_conductor_workers (name, begun_at, program, report, seen_at)
    VALUES (${name}, ${begunAt}, ${program}, ${report}, clock_timestamp())
    ON CONFLICT (name) DO UPDATE SET begun_at = excluded.begun_at, program = excluded.program, report = excluded.report,
      seen_at = excluded.seen_at`

const makeWorkers = (sql: SqlClient.SqlClient) => {
  /** Workers of the last day, the oldest first. */
  const list = Effect.map(
    retryTransient(sql<{ readonly report: string; readonly seen: number }>`
      SELECT report, extract(epoch FROM now() - seen_at)::float8 AS seen FROM task_conductor_workers
      WHERE seen_at > now() - interval '1 day' ORDER BY begun_at, name`),
    (rows) =>
      rows.map(({ report, seen }): WorkerState => {
        const seenSecondsAgo = Math.max(0, Math.round(seen))
        return { ...decodeReport(report), seenSecondsAgo, isAlive: seen < aliveSeconds }
      })
  )
  return {
    list,
    alive: Effect.map(list, (all) => all.filter(({ isAlive }) => isAlive)),
    report: (worker: WorkerReport) => Effect.asVoid(retryTransient(sayPresent(sql, presenceOf(worker)))),
    /** Removes workers that nothing lists any more. */
    forget: Effect.asVoid(
      retryTransient(sql`DELETE FROM task_conductor_workers WHERE seen_at < now() - interval '1 day'`)
    ),
    leave: (name: string) => Effect.asVoid(retryTransient(sql`DELETE FROM task_conductor_workers WHERE name = ${name}`))
  }
}

export class ClusterWorkers extends Context.Service<ClusterWorkers>()("task-conductor/plugins/cluster/ClusterWorkers", {
  make: Effect.map(SqlClient.SqlClient, makeWorkers)
}) {
  static readonly layer = Layer.effect(this, this.make)
}

/** Why nobody works on a run of this version; nothing when somebody can. */
const missingWorker = (
  { runId, version }: { readonly runId: string; readonly version: string },
  workers: ReadonlyArray<WorkerState>
): string | undefined => {
  if (workers.length === 0)
    return `No worker is at work; the run waits for one. Start one on any machine: task-conductor worker`
  const able = workers.filter((worker) => !isOtherBuild(version, worker.version))
  const [first] = able
  if (first === undefined) {
    const others = [...new Set(workers.map((worker) => worker.version))].join(", ")
    return `No worker has version ${printable(version)} of task-conductor, with which the run was started; there are ${printable(others)}. Start a worker of this version, or go on with the version of the workers: task-conductor resume ${runId} --cluster`
  }
  return first.serverGone !== undefined && able.every(({ serverGone }) => serverGone !== undefined)
    ? `No worker has a model server that answers; the run waits for one. ${printable(first.name)}: ${printable(first.serverGone)}`
    : undefined
}

/** How far the model calls of a run are, by what workers said within the last seconds. */
const progressIn = (workers: ReadonlyArray<WorkerState>, runId: string): ReadonlyArray<CallProgress> =>
  workers
    .filter(({ seenSecondsAgo }) => seenSecondsAgo <= freshSeconds)
    .flatMap(({ progress = [] }) => progress.filter((one) => one.runId === runId))

/**
 * What is to be done again and again while a run of a version is followed: it returns how far the model calls are, and reports that
 * no worker of this version is there, and that one came.
 */
export const watchWorkers = Effect.fn("watchWorkers")(function* (
  runId: string,
  report: (what: string) => Effect.Effect<void>
) {
  const { alive } = yield* ClusterWorkers
  let before: string | undefined
  return (version: string) =>
    Effect.gen(function* () {
      const workers = yield* alive
      const missing = missingWorker({ runId, version }, workers)
      const able = workers.find((one) => !isOtherBuild(version, one.version) && one.serverGone === undefined)
      if (missing !== undefined && missing !== before) yield* report(missing)
      if (able !== undefined && before !== undefined) yield* report(`The worker ${printable(able.name)} is there now.`)
      before = missing
      return progressIn(workers, runId)
    })
})
