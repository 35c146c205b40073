/**
 * Begins to observe the work, when the environment names a collector.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type { EventListener } from "../../plugin-kit.ts"
import { telemetrySettings } from "./TelemetrySettings.ts"

const firstLine = (cause: Cause.Cause<unknown>): string => Cause.pretty(cause).split("\n", 1).join("")

export const listen: EventListener = Effect.fnUntraced(function* (work) {
  const settings = yield* telemetrySettings
  if (settings === undefined) return undefined
  if ("problem" in settings) return yield* Effect.fail(`This run is not observed. ${settings.problem}`)
  const { observeRun } = yield* Effect.promise(() => import("./RunTelemetry.ts"))
  return yield* observeRun(settings, work).pipe(
    Effect.catchCause((cause) => Effect.fail(`This run is not observed. ${firstLine(cause)}`))
  )
})
