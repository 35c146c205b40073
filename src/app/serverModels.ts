/**
 * Models behind a server: the client of the provider that the settings name, and what the server knows of the model. Part of
 * the composition root, loaded by runs that use such a model.
 */
import * as Layer from "effect/Layer"
import { providerOf } from "../domain/models/ModelName.ts"
import { answerReserve } from "../domain/models/PromptSize.ts"
import { layerOllamaFacts } from "../services/providers/ollama/OllamaFacts.ts"
import { layerOllamaLoaded } from "../services/providers/ollama/OllamaLoaded.ts"
import { OllamaModel } from "../services/providers/ollama/OllamaModel.ts"
import { OllamaServer } from "../services/providers/ollama/OllamaServer.ts"
import { layerOpenAiFacts } from "../services/providers/openai/OpenAiFacts.ts"
import { OpenAiModel } from "../services/providers/openai/OpenAiModel.ts"
import { OpenAiServer } from "../services/providers/openai/OpenAiServer.ts"
import { layerOllamaToolSupport } from "../services/models/OllamaToolSupport.ts"
import { serverOf } from "./chosenModel.ts"
import type { Setup } from "./setup.ts"

/** The model that the settings name, with what its server knows of it. */
export const layerServerModel = (setup: Setup) => {
  const { configuration, settings } = setup
  const maxAnswerTokens = answerReserve(settings.contextWindow)
  if (providerOf(settings.model) === "openai") {
    const openAi = OpenAiModel.layer({ ...serverOf(setup), model: settings.model, maxAnswerTokens })
    return Layer.merge(openAi, Layer.provide(layerOpenAiFacts(setup.modelFacts), OpenAiServer.layer(serverOf(setup))))
  }
  const { keepAlive } = configuration
  const model = OllamaModel.layer({
    ...serverOf(setup),
    model: settings.model,
    contextWindow: settings.contextWindow,
    maxAnswerTokens,
    ...(keepAlive === undefined ? {} : { keepAlive })
  })
  const facts = Layer.merge(layerOllamaFacts(setup.modelFacts), layerOllamaLoaded)
  return Layer.merge(model, Layer.provide(facts, OllamaServer.layer(serverOf(setup))))
}

/** Whether an Ollama server lets this model call tools. */
export const layerToolSupport = (setup: Setup, model: string) =>
  layerOllamaToolSupport(model).pipe(Layer.provide(OllamaServer.layer(serverOf(setup))))
