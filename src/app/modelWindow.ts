/**
 * Chooses the context window of a run, and how many calls are made at a time, by what the person set and by what the
 * server says. Part of the composition root.
 */
import * as Effect from "effect/Effect"
import { chooseWindow, windowNote } from "../domain/models/ContextWindow.ts"
import { ConfigurationError } from "../services/configuration/ConfigurationError.ts"
import { projectFileName } from "../services/configuration/ConfigurationFile.ts"
import type { RunContext } from "./RunContext.ts"
import { type Setup, withWindow } from "./setup.ts"

export interface FittedSetup {
  readonly setup: Setup
  /** What the person should know about the window. */
  readonly note?: string
  /** What the person should know about the choice of the model. */
  readonly modelNotes?: ReadonlyArray<string>
  /** True when it is smaller than it was wanted. */
  readonly isLowered: boolean
}

/**
 * The setup with its models and its window. A server that does not answer changes nothing about models that are named: the
 * first call of the run says so. A run that is resumed has its window set, so that it keeps it.
 */
export const fitWindow = Effect.fn("fitWindow")(function* (
  found: Setup,
  { model: value, pickModel, warn }: Pick<RunContext, "model" | "pickModel" | "warn">
) {
  const unchanged: FittedSetup = { setup: found, isLowered: false }
  if (found.configuration.model === "embedded" || value !== undefined) return unchanged
  const { settleModels } = yield* Effect.promise(() => import("./chosenModel.ts"))
  const { withSlots } = yield* Effect.promise(() => import("./serverSlots.ts"))
  const {
    facts: known,
    notes: modelNotes,
    setup
  } = yield* settleModels(found, pickModel).pipe(
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
    ...(configuration.contextWindow === undefined ? {} : { given: configuration.contextWindow }),
    ...(facts.window === undefined ? {} : { modelfile: facts.window }),
    ...(facts.loadedWindow === undefined ? {} : { loaded: facts.loadedWindow }),
    ...(facts.supportedWindow === undefined ? {} : { supported: facts.supportedWindow })
  })
  const note = windowNote(settings.model, chosen)
  const fitted: FittedSetup = {
    setup: { ...withWindow(yield* withSlots(setup), chosen.window), modelFacts: known },
    isLowered: chosen.loweredFrom !== undefined,
    modelNotes,
    ...(note === undefined ? {} : { note })
  }
  return fitted
})
