/**
 * The table of workers. Each worker reports its version, its load and its model calls. Clients read which workers are
 * alive.
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

/** The progress of a model call of a run. `at` is in ISO 8601. */
export const CallProgress = Schema.Struct({ runId: Schema.String, at: Schema.String, event: ModelProgress })
export type CallProgress = typeof CallProgress.Type

/**
 * A running call reports its progress every second. After this many milliseconds without progress, a call counts as
 * ended.
 */
const quietTime = 4000

const mostCalls = 40

export const makeCallProgressBoard = () => {
  const calls = new Map<string, CallProgress>()
  return {
    take: (runId: string, { at, event }: RecordedEvent): void => {
      if (event.type !== "model.progress" && event.type !== "model.finished" && event.type !== "model.failed") return
      const key = JSON.stringify([runId, modelCallKey(event.call)])
      if (event.type === "model.progress") calls.set(key, { runId, at, event })
      else calls.delete(key)
    },
    /** The progress of the running calls. `now` is in milliseconds. */
    shown: (now: number): ReadonlyArray<CallProgress> => {
      for (const [key, { at }] of calls) if (now - Date.parse(at) > quietTime) calls.delete(key)
      return [...calls.values()].slice(0, mostCalls)
    }
  }
}

export type CallProgressBoard = ReturnType<typeof makeCallProgressBoard>

/** What a worker reports about itself. */
export const WorkerReport = Schema.Struct({
  /** A unique name: the host name, the process id and a random part. */
  name: Schema.String,
  version: Schema.String,
  /** When the worker started, in ISO 8601. */
  begunAt: Schema.String,
  /** How many model calls the worker makes at once. */
  slots: Schema.Int,
  /** How many runs the worker leads now, and how many tasks it works on. */
  runs: Schema.Int,
  tasks: Schema.Int,
  /** Why the worker's model server does not answer. Absent if it answers. */
  serverGone: Schema.optionalKey(Schema.String),
  /** True if the server has been away for so long that work no longer waits for it. */
  hasGivenUp: Schema.optionalKey(Schema.Literal(true)),
  /** The progress of the worker's model calls. Absent if none is running. */
  progress: Schema.optionalKey(Schema.Array(CallProgress))
})
export type WorkerReport = typeof WorkerReport.Type

/** A worker, and when it last reported. */
export interface WorkerState extends WorkerReport {
  readonly seenSecondsAgo: number
  /** False if the last report is older than `aliveSeconds`. */
  readonly isAlive: boolean
}

/** A worker counts as dead after this time without a report. */
export const aliveSeconds = 15

export const reportInterval = "2 seconds"

/** Progress is shown only if it was reported within this time. */
const freshSeconds = 4

const reportJson = Schema.fromJsonString(WorkerReport)
const encodeReport = Schema.encodeSync(reportJson)
const decodeReport = Schema.decodeSync(reportJson)

export const presenceOf = (worker: WorkerReport): Presence => ({
  name: worker.name,
  begunAt: worker.begunAt,
  program: worker.version,
  report: encodeReport(worker)
})

export const sayPresent = (sql: SqlClient.SqlClient, { begunAt, name, program, report }: Presence) =>
  sql`INSERT INTO task_conductor_workers (name, begun_at, program, report, seen_at)
    VALUES (${name}, ${begunAt}, ${program}, ${report}, clock_timestamp())
    ON CONFLICT (name) DO UPDATE SET begun_at = excluded.begun_at, program = excluded.program, report = excluded.report,
      seen_at = excluded.seen_at`

const makeWorkers = (sql: SqlClient.SqlClient) => {
  /** The workers that reported within the last day, in the order in which they started. */
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

/** Why no worker can work on a run of this version. Undefined if a worker can. */
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

const progressIn = (workers: ReadonlyArray<WorkerState>, runId: string): ReadonlyArray<CallProgress> =>
  workers
    .filter(({ seenSecondsAgo }) => seenSecondsAgo <= freshSeconds)
    .flatMap(({ progress = [] }) => progress.filter((one) => one.runId === runId))

/**
 * Makes a function that the follower of a run calls regularly. It returns the progress of the run's model calls. It
 * also reports when no worker can work on the run, and when a worker can again.
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
