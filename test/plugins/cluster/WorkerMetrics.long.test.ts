import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as SqlClient from "effect/sql/SqlClient"
import { ClusterRuns } from "../../../src/plugins/cluster/ClusterRuns.ts"
import { makeCluster } from "../../support/Cluster.ts"
import { clusterRun, layerOn } from "../../support/LeasedRun.ts"
import { liveTest } from "../../support/liveTest.ts"
import { needsPostgres } from "../../support/Postgres.ts"
import { valuesOf } from "../../support/valuesOf.ts"
import { serve } from "../../support/WebServer.ts"

interface Point {
  readonly asDouble?: number
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: { readonly stringValue?: string } }>
}
interface Metric {
  readonly name: string
  readonly unit: string
  readonly gauge?: { readonly dataPoints: ReadonlyArray<Point> }
}

/** A collector on loopback, and what it was sent: the last value of each gauge by its name and attributes. */
const makeCollector = Effect.gen(function* () {
  const values = new Map<string, number>()
  const note = (body: unknown): void => {
    for (const { gauge, name, unit } of valuesOf(body, "metrics").flat() as ReadonlyArray<Metric>) {
      for (const { asDouble = 0, attributes } of gauge?.dataPoints ?? []) {
        const by = attributes.map(({ value }) => value.stringValue).filter((text) => text !== unit)
        values.set([name, ...by].join(" "), asDouble)
      }
    }
  }
  const port = yield* serve((request, response) => {
    let text = ""
    request.on("data", (chunk: Buffer) => void (text += chunk.toString()))
    request.on("end", () => {
      if (request.url === "/v1/metrics") note(JSON.parse(text))
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  })
  return { address: `http://127.0.0.1:${port}`, values }
})

const runId = "20261120-183000-k3x9"
const doubt = JSON.stringify({ type: "event", event: { type: "approval.requested", scope: "doubt", hash: "h1" } })

describe("a worker whose environment names a collector", needsPostgres, () => {
  liveTest("sends what operators watch", function* () {
    const { start, url } = yield* makeCluster
    const { address, values } = yield* makeCollector
    const until = Effect.fnUntraced(function* (name: string, value: (sent: number | undefined) => boolean) {
      while (!value(values.get(name))) yield* Effect.sleep("100 millis")
    })
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const run = clusterRun(runId, { program: "9.9.9+other" })
      yield* (yield* ClusterRuns).submit(run, [run.opened], (json) => json)
      yield* sql`INSERT INTO task_conductor_records (run_id, seq, at, type, key, event, json, token)
        VALUES (${runId}, 9, '2026-11-20T18:30:00.000Z', 'event', '', 'approval.requested', ${doubt}, gen_random_uuid())`
      yield* start(["worker"], {
        OTEL_EXPORTER_OTLP_ENDPOINT: address,
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        OTEL_METRIC_EXPORT_INTERVAL: "300"
      })
      yield* until("task_conductor.queue.waiting run/9.9.9/other", (sent) => sent === 1)
      yield* until("task_conductor.queue.oldest run/9.9.9/other", (sent) => sent !== undefined && sent > 0)
      expect(values.get("task_conductor.workers.alive")).toBe(1)
      expect(values.get("task_conductor.doubts")).toBe(1)
      const own = [...values].filter(([name]) => name.startsWith("task_conductor.worker."))
      expect(own.map(([, value]) => value)).toEqual([0, 0])
      /* With the answer nothing is in doubt, and the end of the run empties the queue. */
      yield* sql`INSERT INTO task_conductor_answers (run_id, question, answer) VALUES (${runId}, 'h1', '{}')`
      yield* (yield* ClusterRuns).cancel(runId)
      yield* until("task_conductor.queue.waiting run/9.9.9/other", (sent) => sent === 0)
      expect(values.get("task_conductor.doubts")).toBe(0)
    }).pipe(Effect.provide(layerOn(url)))
  })

  liveTest("works without one that it cannot use, and says so", function* () {
    const { start } = yield* makeCluster
    const worker = yield* start(["worker"], { OTEL_EXPORTER_OTLP_ENDPOINT: "nowhere" })
    yield* Effect.promise(() => worker.says("The worker is ready for runs"))
    expect(worker.stderr()).toContain("This worker sends no telemetry. OTEL_EXPORTER_OTLP_ENDPOINT is not an address.")
  })
})
