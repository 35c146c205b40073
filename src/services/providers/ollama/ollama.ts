/**
 * The provider of models on an Ollama server: how it is found, and what can be said of it.
 */
import type { Provider } from "../Provider.ts"
import { hostProblem, resolveHost } from "./OllamaHost.ts"
import { layerOllama } from "./OllamaModel.ts"
import { connectOllama } from "./OllamaServer.ts"

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
  connect: connectOllama,
  model: layerOllama
}
