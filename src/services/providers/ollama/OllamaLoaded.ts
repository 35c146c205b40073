/**
 * Asks an Ollama server which models it has in memory. Calls that wait at the same time share one answer.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LoadedModels } from "../LoadedModels.ts"
import { OllamaServer } from "./OllamaServer.ts"

/** A server that is busy may answer late; then nothing is known. */
const patience = "2 seconds"

/** How long an answer holds. */
const valid = "1 second"

export const layerOllamaLoaded = Layer.effect(
  LoadedModels,
  Effect.gen(function* () {
    const server = yield* OllamaServer
    const asked = server.loaded.pipe(
      Effect.timeout(patience),
      Effect.orElseSucceed(() => undefined)
    )
    const loaded = yield* Effect.cachedWithTTL(asked, valid)
    return (model) => Effect.map(loaded, (all) => all?.some(({ name }) => name === model || name === `${model}:latest`))
  })
)
