/**
 * The provider of models on an OpenAI-compatible server: how it is found, and what can be said of it.
 */
import type { Provider } from "../Provider.ts"
import { baseUrlProblem, resolveBaseUrl } from "./OpenAiAddress.ts"
import { layerOpenAi } from "./OpenAiModel.ts"
import { connectOpenAi } from "./OpenAiServer.ts"

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
  connect: connectOpenAi,
  model: layerOpenAi
}
