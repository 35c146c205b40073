/**
 * Asks an Ollama server whether a model can call tools.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { OllamaServer } from "../providers/ollama/OllamaServer.ts"
import { NoToolSupport, ToolSupport } from "./ToolSupport.ts"

/** How many models are asked about at the same time. */
const askedAtOnce = 4

/** Asks the server what the model can do, and when it cannot, which of the others can. */
export const layerOllamaToolSupport = (model: string): Layer.Layer<ToolSupport, never, OllamaServer> =>
  Layer.effect(
    ToolSupport,
    Effect.gen(function* () {
      const server = yield* OllamaServer
      const canCall = (name: string) =>
        server.capabilities(name).pipe(
          Effect.map(({ tools }) => tools),
          Effect.orElseSucceed(() => false)
        )
      const require = Effect.gen(function* () {
        const { tools } = yield* server.capabilities(model)
        if (tools) return
        const installed = (yield* server.models).map(({ name }) => name)
        const able = yield* Effect.filter(installed, canCall, { concurrency: askedAtOnce })
        return yield* new NoToolSupport({ model, able })
      })
      return ToolSupport.of({ require })
    })
  )
