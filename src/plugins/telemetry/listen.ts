/**
 * Starts telemetry if the environment names a collector.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { EventListener, MetricSender } from "../../plugin-kit.ts"
import { type TelemetrySettings, telemetrySettings } from "./TelemetrySettings.ts"

const firstLine = (cause: Cause.Cause<unknown>): string => Cause.pretty(cause).split("\n", 1).join("")

/** Runs `use` with the exporter if a collector is named. `what` names the work in a warning. */
const observing = Effect.fnUntraced(function* <A, R>(
  what: string,
  use: (settings: TelemetrySettings, telemetry: typeof import("./RunTelemetry.ts")) => Effect.Effect<A, unknown, R>
) {
  const settings = yield* telemetrySettings
  if (settings === undefined) return undefined
  if ("problem" in settings) return yield* Effect.fail(`${what} sends no telemetry. ${settings.problem}`)
  const telemetry = yield* Effect.promise(() => import("./RunTelemetry.ts"))
  return yield* Effect.catchCause(use(settings, telemetry), (cause) =>
    Effect.fail(`${what} sends no telemetry. ${firstLine(cause)}`)
  )
})

export const listen: EventListener = (work) =>
  observing("This run", (settings, { observeRun }) => observeRun(settings, work))

export const sendMetrics: MetricSender = (metrics) =>
  Effect.map(
    observing("This worker", (settings, { exportTo }) => exportTo(metrics, settings)),
    (exporter) => exporter !== undefined
  )
