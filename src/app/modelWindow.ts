/**
 * Chooses the context window of a run by what the person set and by what the server says of the model. Part of the
 * composition root.
 */
import * as Effect from "effect/Effect"
import { chooseWindow, windowNote } from "../domain/models/ContextWindow.ts"
import { providerOf } from "../domain/models/ModelName.ts"
import { readFacts } from "../services/providers/ollama/OllamaFacts.ts"
import { OllamaServer } from "../services/providers/ollama/OllamaServer.ts"
import { readOpenAiFacts } from "../services/providers/openai/OpenAiFacts.ts"
import { OpenAiServer } from "../services/providers/openai/OpenAiServer.ts"
import { ConfigurationError, projectFileName } from "../services/configuration/ConfigurationFile.ts"
import type { RunPorts } from "./projectLayers.ts"
import { type Setup, withWindow } from "./setup.ts"

export interface FittedSetup {
  readonly setup: Setup
  /** What the person should know about the window. */
  readonly note?: string
  /** True when it is smaller than it was wanted. */
  readonly isLowered: boolean
}

/** What the server of the run says of the model of the run. */
const askForFacts = ({ apiKey, settings: { host, model } }: Setup) => {
  const server = { host, ...(apiKey === undefined ? {} : { apiKey }) }
  return providerOf(model) === "openai"
    ? Effect.provide(readOpenAiFacts(model), OpenAiServer.layer(server))
    : Effect.provide(readFacts(model), OllamaServer.layer(server))
}

/**
 * The setup with its window. A server that does not answer changes nothing: the first call of the run says so. A run that
 * is resumed has its window set, so that it keeps it.
 */
export const fitWindow = Effect.fn("fitWindow")(function* (setup: Setup, { model }: Pick<RunPorts, "model">) {
  const unchanged: FittedSetup = { setup, isLowered: false }
  const { configuration, settings } = setup
  if (settings.model === "embedded" || model !== undefined) return unchanged
  const facts = yield* askForFacts(setup)
  if (!facts.isKnown) return unchanged
  if (setup.isProjectModel && facts.isForwarded === true) {
    const what = `the model ${settings.model} is forwarded to another server with all prompts. Choose it yourself to use it: --model ${settings.model}, TASK_CONDUCTOR_MODEL, or "model" in your own configuration.`
    return yield* new ConfigurationError({ source: `${setup.project}/${projectFileName}`, problems: [{ what }] })
  }
  const chosen = chooseWindow({
    ...(configuration.contextWindow === undefined ? {} : { given: configuration.contextWindow }),
    ...(facts.window === undefined ? {} : { modelfile: facts.window }),
    ...(facts.loadedWindow === undefined ? {} : { loaded: facts.loadedWindow }),
    ...(facts.supportedWindow === undefined ? {} : { supported: facts.supportedWindow })
  })
  const note = windowNote(settings.model, chosen)
  const fitted: FittedSetup = {
    setup: { ...withWindow(setup, chosen.window), modelFacts: new Map([[settings.model, facts]]) },
    isLowered: chosen.loweredFrom !== undefined,
    ...(note === undefined ? {} : { note })
  }
  return fitted
})
