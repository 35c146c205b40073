/**
 * What comes before the work of a run or a conversation: a person is told what they should know, and the
 * listeners of features begin. Part of the composition root.
 */
import * as Effect from "effect/Effect"
import type { Configuration } from "../domain/configuration/Configuration.ts"
import { readStartupWarnings } from "../services/pipeline/StartupWarnings.ts"
import type { FittedSetup } from "./modelChoice.ts"
import { features } from "./features.ts"
import { ownPlugins } from "./ownPlugins.ts"
import type { RunContext } from "./RunContext.ts"
import type { Setup } from "./setup.ts"
import type { RecordedEvent } from "../domain/runs/RunEvent.ts"
import { exitCodeOf, type RunReport } from "../domain/runs/RunReport.ts"
import { Hooks } from "../services/plugins/Hooks.ts"
import { traceName } from "./providers.ts"
import { version } from "./version.ts"

interface StartedWith extends FittedSetup {
  readonly isTorn?: boolean
  /** Why the work is not observed as the environment wants it; a sentence each. */
  readonly unobserved?: ReadonlyArray<string> | undefined
}

/** Reports the notes; fails when a rule of `given` (flags or options) names no tool. */
export const reportStartup = Effect.fnUntraced(function* (
  { isTorn = false, modelNotes = [], setup, unobserved = [], windowNote }: StartedWith,
  given: Configuration,
  warn: RunContext["warn"] = () => Effect.void
) {
  const warnings = [
    ...setup.folders.notes,
    ...unobserved,
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

/**
 * Does the work with what features and the user's own plugins bring beside tools: listeners, which hear the events as well, and an
 * approver in the place of the one of `context`. A listener that cannot begin ends no work, which gets the reasons; neither does
 * one that fails.
 */
export const accompanied = Effect.fn("accompanied")(function* <A, E, R>(
  setup: Setup,
  context: RunContext,
  work: (context: RunContext, unobserved?: ReadonlyArray<string>) => Effect.Effect<A, E, R>
) {
  const { models, settings } = setup
  const { model } = settings
  const { approver, listen, plugins: values } = context
  const plugins = [...features, ...(yield* ownPlugins(setup, values))]
  const begun = { model, providerOf: (name: string) => traceName(name, models.providers), version }
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const listeners = plugins.map(({ listener }) => listener).filter((listener) => listener !== undefined)
      const [takers, unobserved] = yield* Effect.partition(listeners, (listener) => listener(begun))
      const hearing = takers.filter((take) => take !== undefined)
      const tellAll = (recorded: RecordedEvent) =>
        Effect.forEach(hearing, (take) => Effect.ignoreCause(take(recorded)), { discard: true })
      const whole: RunContext = {
        ...context,
        listen: (recorded) => Effect.andThen(tellAll(recorded), listen(recorded)),
        approver: plugins.find((plugin) => plugin.approver !== undefined)?.approver ?? approver
      }
      return yield* work(whole, unobserved)
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
