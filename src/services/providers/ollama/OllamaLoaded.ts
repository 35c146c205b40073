/**
 * Asks an Ollama server which models it has in memory.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LoadedModels } from "../LoadedModels.ts"
import { OllamaServer } from "./OllamaServer.ts"

/** A server that is busy may answer late; then nothing is known. */
const patience = "2 seconds"

export const layerOllamaLoaded = Layer.effect(
  LoadedModels,
  Effect.map(
    OllamaServer,
    (server) => (model: string) =>
      server.loaded.pipe(
        Effect.timeout(patience),
        Effect.map((loaded): boolean | undefined =>
          loaded.some(({ name }) => name === model || name === `${model}:latest`)
        ),
        Effect.orElseSucceed(() => undefined)
      )
  )
)
