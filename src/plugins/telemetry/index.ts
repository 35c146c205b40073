/**
 * Sends traces and metrics of runs to an OpenTelemetry collector, if the environment names one.
 */
import * as Effect from "effect/Effect"
import { definePlugin } from "../../plugin-kit.ts"

export const telemetry = definePlugin({
  name: "telemetry",
  listener: (work) =>
    Effect.flatMap(
      Effect.promise(() => import("./listen.ts")),
      ({ listen }) => listen(work)
    ),
  sendMetrics: (metrics) =>
    Effect.flatMap(
      Effect.promise(() => import("./listen.ts")),
      ({ sendMetrics }) => sendMetrics(metrics)
    )
})
