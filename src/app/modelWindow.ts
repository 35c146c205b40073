/**
 * Chooses the context window of a run, and how many calls are made at a time, by what the person set and by what the
 * server says. Part of the composition root.
 */
import * as Effect from "effect/Effect"
import { chooseWindow, windowNote } from "../domain/models/ContextWindow.ts"
import { ConfigurationError } from "../services/configuration/ConfigurationError.ts"
import { projectFileName } from "../services/configuration/ConfigurationFile.ts"
import { resolveModels } from "./chosenModel.ts"
import { askServer, patience } from "./modelServer.ts"
import { withPluginProviders } from "./pluginProviders.ts"
import { providerOfRun, type Setup, withWindow } from "./setup.ts"
import type { RunContext } from "./RunContext.ts"

export interface FittedSetup {
  readonly setup: Setup
  /** What the person should know about the window. */
  readonly note?: string | undefined
  /** What the person should know about the choice of the model. */
  readonly modelNotes?: ReadonlyArray<string>
  /** True when it is smaller than it was wanted. */
  readonly isLowered: boolean
}

/** As many calls as `--parallel` may name. */
const mostSlots = 64

/** The setup with as many calls at a time as the server works on, when nobody set it and the server says it. */
const withSlots = Effect.fnUntraced(function* (setup: Setup) {
  if (setup.configuration.parallel !== undefined) return setup
  const slots = yield* askServer(setup, (server) => server.slots ?? Effect.undefined, { patience })
  return slots === undefined
    ? setup
    : { ...setup, settings: { ...setup.settings, parallel: Math.min(slots, mostSlots) } }
})

/**
 * The setup with its models and its window. A server that does not answer changes nothing about models that are named: the
 * first call of the run says so. A run that is resumed has its window set, so that it keeps it.
 */
export const fitWindow = Effect.fn("fitWindow")(function* (
  given: Setup,
  { model: value, pickModel, plugins, warn }: Pick<RunContext, "model" | "pickModel" | "plugins" | "warn">
) {
  if (value !== undefined) return { setup: given, isLowered: false } satisfies FittedSetup as FittedSetup
  const found = yield* withPluginProviders(given, plugins)
  const unchanged: FittedSetup = { setup: found, isLowered: false }
  if (providerOfRun(found).connect === undefined) return unchanged
  const {
    facts: known,
    notes: modelNotes,
    setup
  } = yield* resolveModels(found, pickModel).pipe(
    Effect.tapError(() => warn?.({ setup: found, warnings: found.folders.notes, isTorn: false }) ?? Effect.void)
  )
  const { configuration, settings } = setup
  for (const [model, { isForwarded }] of known) {
    if (setup.isProjectModel !== true || isForwarded !== true || model !== settings.model) continue
    const what = `the model ${model} is forwarded to another server with all prompts. Choose it yourself to use it: --model ${model}, TASK_CONDUCTOR_MODEL, or "model" in your own configuration.`
    return yield* new ConfigurationError({ source: `${setup.project}/${projectFileName}`, problems: [{ what }] })
  }
  const facts = known.get(settings.model)
  if (facts === undefined) return { ...unchanged, setup: { ...setup, modelFacts: known }, modelNotes }
  const chosen = chooseWindow({
    given: configuration.contextWindow,
    modelfile: facts.window,
    loaded: facts.loadedWindow,
    supported: facts.supportedWindow
  })
  const fitted: FittedSetup = {
    setup: { ...withWindow(yield* withSlots(setup), chosen.window), modelFacts: known },
    isLowered: chosen.loweredFrom !== undefined,
    modelNotes,
    note: windowNote(settings.model, chosen)
  }
  return fitted
})
