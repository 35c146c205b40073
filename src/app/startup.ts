/**
 * What comes before the work of a run or a conversation: a person is told what they should know, and when the environment
 * names a collector, the work is observed. Part of the composition root.
 */
import * as Effect from "effect/Effect"
import * as Cause from "effect/Cause"
import * as Result from "effect/Result"
import type { Configuration } from "../domain/configuration/Configuration.ts"
import { readStartupWarnings } from "../services/pipeline/StartupWarnings.ts"
import type { FittedSetup } from "./modelChoice.ts"
import type { RunContext } from "./RunContext.ts"
import type { Setup } from "./setup.ts"
import { exitCodeOf, type RunReport } from "../domain/runs/RunReport.ts"
import { Hooks } from "../services/plugins/Hooks.ts"
import { telemetrySettings } from "../plugins/telemetry/TelemetrySettings.ts"
import { traceName } from "../services/providers/providers.ts"
import { version } from "./version.ts"

interface StartedWith extends FittedSetup {
  readonly isTorn?: boolean
  /** Why the work is not observed as the environment wants it; a sentence. */
  readonly unobserved?: string | undefined
}

/** Reports the notes; fails when a rule of `given` (flags or options) names no tool. */
export const reportStartup = Effect.fnUntraced(function* (
  { isTorn = false, modelNotes = [], setup, unobserved, windowNote }: StartedWith,
  given: Configuration,
  warn: RunContext["warn"] = () => Effect.void
) {
  const warnings = [
    ...setup.folders.notes,
    ...(unobserved === undefined ? [] : [unobserved]),
    ...(yield* readStartupWarnings(setup.rules, given, setup.project))
  ]
  const isLowered = windowNote?.isLowered === true
  const notes = windowNote === undefined ? [] : [windowNote.text]
  yield* warn({
    warnings: isLowered ? [...notes, ...warnings] : warnings,
    notes: isLowered ? modelNotes : [...modelNotes, ...notes],
    isTorn,
    usesDemo: setup.configuration.model === "embedded"
  })
})

type Listen = RunContext["listen"]

const firstLine = (cause: Cause.Cause<unknown>): string => Cause.pretty(cause).split("\n", 1).join("")

const unobservedText = (problem: string): string => `This run is not observed. ${problem}`

/** Does the work with a listener that is also observed. Telemetry that fails ends no work, which gets the reason. */
export const observed = Effect.fn("observed")(function* <A, E, R>(
  { models, settings: { model } }: Pick<Setup, "models" | "settings">,
  listen: Listen,
  work: (listen: Listen, unobserved?: string) => Effect.Effect<A, E, R>
) {
  const settings = yield* telemetrySettings
  if (settings === undefined) return yield* work(listen)
  if ("problem" in settings) return yield* work(listen, unobservedText(settings.problem))
  const { observeRun } = yield* Effect.promise(() => import("../plugins/telemetry/RunTelemetry.ts"))
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const observing = yield* observeRun(settings, {
        model,
        providerOf: (name) => traceName(name, models.providers),
        version
      }).pipe(
        Effect.catchCause((cause) => Effect.fail(firstLine(cause))),
        Effect.result
      )
      if (Result.isFailure(observing)) return yield* work(listen, unobservedText(observing.failure))
      const observe = observing.success
      return yield* work((recorded) => Effect.andThen(Effect.ignoreCause(observe(recorded)), listen(recorded)))
    })
  )
})

/** Reports warnings, if there are any. */
export const reportWarnings = (warnings: ReadonlyArray<string>, warn: RunContext["warn"]) =>
  (warnings.length > 0 ? warn?.({ warnings }) : undefined) ?? Effect.void

/** Runs the hooks of the end, which comes after the last event; a failure is a warning. */
export const runEndHooks = Effect.fnUntraced(function* ({ runId, status }: RunReport, warn: RunContext["warn"]) {
  const { run } = yield* Hooks
  yield* reportWarnings(yield* run("run-end", { run_id: runId, status, exit_code: exitCodeOf(status) }), warn)
})
