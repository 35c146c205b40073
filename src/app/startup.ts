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
import { telemetrySettings } from "../services/observability/TelemetrySettings.ts"
import { traceName } from "../services/providers/providers.ts"
import { version } from "./version.ts"

interface StartedWith extends Partial<FittedSetup> {
  readonly setup: Setup
  readonly isTorn?: boolean
}

/** Reports the notes; fails when a rule of `given` (flags or options) names no tool. */
export const reportStartup = Effect.fnUntraced(function* (
  { isTorn = false, modelNotes = [], setup, windowNote }: StartedWith,
  given: Configuration,
  warn: RunContext["warn"] = () => Effect.void
) {
  const warnings = [...setup.folders.notes, ...(yield* readStartupWarnings(setup.rules, given, setup.project))]
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

/** The setup with a note that a person reads before the work begins. */
const withNote = (setup: Setup, problem: string): Setup => ({
  ...setup,
  folders: { ...setup.folders, notes: [...setup.folders.notes, `This run is not observed. ${problem}`] }
})

/** Does the work with a listener that is also observed. Telemetry that fails is noted, and ends no work. */
export const observed = Effect.fn("observed")(function* <A, E, R>(
  setup: Setup,
  listen: Listen,
  work: (listen: Listen, setup: Setup) => Effect.Effect<A, E, R>
) {
  const settings = yield* telemetrySettings
  if (settings === undefined) return yield* work(listen, setup)
  if ("problem" in settings) return yield* work(listen, withNote(setup, settings.problem))
  const { observeRun } = yield* Effect.promise(() => import("../services/observability/RunTelemetry.ts"))
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const observing = yield* observeRun(settings, {
        model: setup.settings.model,
        providerOf: (model) => traceName(model, setup.models.providers),
        version
      }).pipe(
        Effect.catchCause((cause) => Effect.fail(firstLine(cause))),
        Effect.result
      )
      if (Result.isFailure(observing)) return yield* work(listen, withNote(setup, observing.failure))
      const observe = observing.success
      return yield* work((recorded) => Effect.andThen(Effect.ignoreCause(observe(recorded)), listen(recorded)), setup)
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
