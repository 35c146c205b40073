/**
 * The provider of models on an Ollama server: how it is found, and what can be said of it.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Provider } from "../Provider.ts"
import { hostProblem, resolveHost } from "./OllamaHost.ts"

/** Its client is loaded when there is a server to be asked. */
export const ollama: Provider = {
  id: "ollama",
  owns: () => true,
  server: {
    read: ({ host }) => resolveHost(host),
    save: (host) => ({ host }),
    problem: hostProblem,
    source: "OLLAMA_HOST or host",
    remedy:
      'Start it with "ollama serve", or get it from https://ollama.com/download. For a server elsewhere, set OLLAMA_HOST.',
    keyVariable: "OLLAMA_API_KEY"
  },
  connect: (address) =>
    Effect.flatMap(
      Effect.promise(() => import("./OllamaServer.ts")),
      ({ connectOllama }) => connectOllama(address)
    ),
  model: (options) =>
    Layer.unwrap(
      Effect.map(
        Effect.promise(() => import("./OllamaModel.ts")),
        ({ layerOllama }) => layerOllama(options)
      )
    )
}
