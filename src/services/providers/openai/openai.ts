/**
 * The provider of models on an OpenAI-compatible server: how it is found, and what can be said of it.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Provider } from "../Provider.ts"
import { baseUrlProblem, resolveBaseUrl } from "./OpenAiAddress.ts"

/** Its client is loaded when there is a server to be asked. */
export const openAi: Provider = {
  id: "openai",
  server: {
    read: ({ openaiBaseUrl }) => resolveBaseUrl(openaiBaseUrl),
    save: (openaiBaseUrl) => ({ openaiBaseUrl }),
    problem: baseUrlProblem,
    source: "OPENAI_BASE_URL or openaiBaseUrl",
    remedy:
      'Start it, or set OPENAI_BASE_URL, or "openaiBaseUrl" in your configuration; a key goes into OPENAI_API_KEY.',
    keyVariable: "OPENAI_API_KEY"
  },
  connect: (address) =>
    Effect.flatMap(
      Effect.promise(() => import("./OpenAiServer.ts")),
      ({ connectOpenAi }) => connectOpenAi(address)
    ),
  model: (options) =>
    Layer.unwrap(
      Effect.map(
        Effect.promise(() => import("./OpenAiModel.ts")),
        ({ layerOpenAi }) => layerOpenAi(options)
      )
    )
}
