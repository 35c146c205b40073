/**
 * Metrics for operators, about this worker and the whole database. Every worker reports the same values for the
 * database. If no collector is configured, the worker sends no query for metrics.
 */
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Schedule from "effect/Schedule"
import * as SqlClient from "effect/sql/SqlClient"
import { sendMetrics } from "../../kit/program.ts"
import { aliveSeconds } from "./ClusterWorkers.ts"
import { bossSchema } from "./WorkQueues.ts"

const interval = "15 seconds"

const gauge = (name: string, unit: string, description: string) =>
  Metric.gauge(`task_conductor.${name}`, { description, attributes: { unit } })

const gauges = {
  waiting: gauge("queue.waiting", "{piece}", "Pieces of work that wait in a queue"),
  oldest: gauge("queue.oldest", "s", "How long the oldest piece of a queue has waited"),
  workers: gauge("workers.alive", "{worker}", "Workers that are alive"),
  doubts: gauge("doubts", "{call}", "Calls with an unknown outcome that wait for an answer"),
  runs: gauge("worker.runs", "{run}", "Runs that this worker leads"),
  tasks: gauge("worker.tasks", "{task}", "Tasks that this worker works on")
}

const waitingQuery = `SELECT name, count(*)::float8 AS waiting,
    extract(epoch FROM now() - min(greatest(created_on, start_after)))::float8 AS oldest
  FROM ${bossSchema}.job WHERE state < 'active' AND start_after <= now() GROUP BY name`

const countsQuery = `SELECT
  (SELECT count(*) FROM task_conductor_workers WHERE seen_at > now() - interval '${aliveSeconds} seconds')::float8 AS workers,
  (SELECT count(*) FROM task_conductor_runs r JOIN task_conductor_records q ON q.run_id = r.run_id
    WHERE r.ending IS NULL AND q.event = 'approval.requested' AND q.json LIKE '%"scope":"doubt"%'
      AND NOT EXISTS (SELECT FROM task_conductor_answers a
        WHERE a.run_id = r.run_id AND strpos(q.json, '"hash":"' || a.question || '"') > 0))::float8 AS doubts`

interface WorkerFacts {
  readonly name: string
  readonly count: () => { readonly runs: number; readonly tasks: number }
}

/** Updates the metrics until the scope closes, if a collector is configured. */
export const keepMetrics = Effect.fnUntraced(function* ({ count, name }: WorkerFacts) {
  /* A separate registry, so that the metrics of the library `effect` are not sent. */
  const registry: Metric.MetricRegistry = new Map()
  if (!(yield* sendMetrics(registry))) return
  const sql = yield* SqlClient.SqlClient
  const queues = new Set<string>()

  const measure = Effect.gen(function* () {
    const { runs, tasks } = count()
    yield* Metric.update(Metric.withAttributes(gauges.runs, { worker: name }), runs)
    yield* Metric.update(Metric.withAttributes(gauges.tasks, { worker: name }), tasks)
    const [counts] = yield* sql.unsafe<{ readonly workers: number; readonly doubts: number }>(countsQuery)
    yield* Metric.update(gauges.workers, counts?.workers ?? 0)
    yield* Metric.update(gauges.doubts, counts?.doubts ?? 0)
    const rows = yield* sql.unsafe<{ readonly name: string; readonly waiting: number; readonly oldest: number }>(
      waitingQuery
    )
    for (const row of rows) queues.add(row.name)
    /* An empty queue has no row in the result, and gets the value 0. */
    for (const queue of queues) {
      const row = rows.find((one) => one.name === queue)
      yield* Metric.update(Metric.withAttributes(gauges.waiting, { queue }), row?.waiting ?? 0)
      yield* Metric.update(Metric.withAttributes(gauges.oldest, { queue }), row?.oldest ?? 0)
    }
  }).pipe(Effect.provideService(Metric.MetricRegistry, registry))
  /* Errors are ignored, because the next measurement may succeed. */
  yield* Effect.forkScoped(Effect.repeat(Effect.ignore(measure), Schedule.spaced(interval)))
})
