/** Prepares a run or a conversation: notes to the user, and listeners of plugins. Part of the composition root. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import type * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import type { Configuration } from "../domain/configuration/Configuration.ts"
import { readStartupWarnings } from "../services/pipeline/StartupWarnings.ts"
import { type FittedSetup, inCodeModel } from "./modelChoice.ts"
import { features } from "./features.ts"
import { ownPlugins } from "./ownPlugins.ts"
import type { RunContext } from "./RunContext.ts"
import type { Setup } from "./setup.ts"
import type { RecordedEvent } from "../domain/runs/RunEvent.ts"
import { exitCodeOf, type RunReport } from "../domain/runs/RunReport.ts"
import { Hooks } from "../services/plugins/Hooks.ts"
import type { ListenedWork, TakeEvent } from "../services/tools/EventListener.ts"
import { causeText } from "../services/tools/ForeignCode.ts"
import type { Plugin } from "../services/tools/Plugin.ts"
import { traceName } from "./providers.ts"
import { version } from "./version.ts"

interface StartedWith extends FittedSetup {
  readonly isTorn?: boolean
  /** Why listeners receive nothing, one sentence each. */
  readonly unobserved?: ReadonlyArray<string> | undefined
}

/** Reports the notes to the user. Fails if a permission rule from flags or options names an unknown tool. */
export const reportStartup = Effect.fnUntraced(function* (
  { isTorn = false, modelNotes = [], setup, unobserved = [], windowNote }: StartedWith,
  flags: Configuration,
  warn: RunContext["warn"] = () => Effect.void
) {
  const warnings = [
    ...setup.folders.notes,
    ...unobserved,
    ...(yield* readStartupWarnings(setup.rules, flags, setup.project))
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

/** The time limit of a listener for one event. A slower listener gets no more events. */
const listenTime = "5 seconds"

/** Starts the listener of a plugin. Fails with a reason if the plugin throws an error. */
const beginListener = (
  { listener, name }: Plugin,
  work: ListenedWork
): Effect.Effect<TakeEvent | undefined, string, Scope.Scope> =>
  Effect.suspend(() => listener?.(work) ?? Effect.undefined).pipe(
    Effect.catchCause((cause) =>
      Effect.fail(
        Option.getOrElse(
          Cause.findErrorOption(cause),
          () => `The plugin ${name} could not begin to listen: ${causeText(cause)}`
        )
      )
    )
  )

/**
 * Passes an event to each listener in turn. A listener that fails still gets the next event. A listener that is too
 * slow gets no more events.
 */
const notifyListeners = (takers: ReadonlyArray<TakeEvent>) => {
  const listeners = new Set(takers)
  return (recorded: RecordedEvent) =>
    Effect.forEach(
      listeners,
      (take) =>
        Effect.suspend(() => take(recorded)).pipe(
          Effect.ignoreCause,
          Effect.timeoutOrElse({ duration: listenTime, orElse: () => Effect.sync(() => void listeners.delete(take)) })
        ),
      { discard: true }
    )
}

/**
 * Runs `work` with the listeners of features and of the user's plugins. A plugin's approver replaces that of the
 * context. If a listener cannot start, `work` runs without it, and gets the reason in `unobserved`.
 */
export const accompanied = Effect.fn("accompanied")(function* <A, E, R>(
  setup: Setup,
  context: RunContext,
  work: (context: RunContext, unobserved?: ReadonlyArray<string>) => Effect.Effect<A, E, R>
) {
  const { models, settings } = setup
  const { model } = settings
  const { approver, listen, model: value, plugins: values } = context
  const plugins = [...features, ...(yield* ownPlugins(setup, values))]
  const providerOf = (name: string) => (value === undefined ? traceName(name, models.providers) : inCodeModel)
  const start = { model, providerOf, version }
  return yield* Effect.scoped(
    Effect.gen(function* () {
      const [takers, unobserved] = yield* Effect.partition(plugins, (plugin) => beginListener(plugin, start))
      const notifyAll = notifyListeners(takers.filter((take) => take !== undefined))
      const whole: RunContext = {
        ...context,
        listen: (recorded) => Effect.andThen(notifyAll(recorded), listen(recorded)),
        approver: plugins.find((plugin) => plugin.approver !== undefined)?.approver ?? approver
      }
      return yield* work(whole, unobserved)
    })
  )
})

/** Lets features send the metrics of the registry until the scope closes. Returns false if no feature sends metrics. */
export const sendMetrics = (registry: Metric.MetricRegistry) =>
  Effect.map(
    Effect.forEach(features, (feature) => feature.sendMetrics?.({ registry, version }) ?? Effect.succeed(false)),
    (sent) => sent.includes(true)
  )

export const reportWarnings = (warnings: ReadonlyArray<string>, warn: RunContext["warn"]) =>
  (warnings.length > 0 ? warn?.({ warnings }) : undefined) ?? Effect.void

/** Runs the hooks for the end of a run, after its last event. A failure becomes a warning. */
export const runEndHooks = Effect.fnUntraced(function* ({ runId, status }: RunReport, warn: RunContext["warn"]) {
  const { run } = yield* Hooks
  yield* reportWarnings(yield* run("run-end", { run_id: runId, status, exit_code: exitCodeOf(status) }), warn)
})
