/**
 * The models of an Ollama server with what each can do, for a person who has to choose one.
 */
import * as Effect from "effect/Effect"
import type { InstalledModel } from "../../../domain/models/InstalledModel.ts"
import { type Capabilities, type LoadedModel, OllamaServer } from "./OllamaServer.ts"

/** How many models are asked about at the same time. */
const askedAtOnce = 4

const describe = (
  { name, size }: { readonly name: string; readonly size: number },
  loaded: ReadonlyArray<LoadedModel>,
  shown: Capabilities | undefined
): InstalledModel => {
  const loadedWindow = loaded.find((model) => model.name === name)?.contextWindow
  return {
    name,
    size,
    /* A model that the server says nothing of is taken for one that writes text. */
    completion: shown?.completion ?? true,
    tools: shown?.tools ?? false,
    thinking: shown?.thinking ?? false,
    isForwarded: shown?.isForwarded ?? false,
    ...(shown?.contextLength === undefined ? {} : { supportedWindow: shown.contextLength }),
    ...(shown?.window === undefined ? {} : { modelfileWindow: shown.window }),
    ...(loadedWindow === undefined ? {} : { loadedWindow })
  }
}

/** Everything that is installed, in the server's order: newest first. */
export const readInventory = Effect.gen(function* () {
  const server = yield* OllamaServer
  const models = yield* server.models
  const loaded = yield* Effect.orElseSucceed(server.loaded, () => [])
  return yield* Effect.forEach(
    models,
    (model) =>
      server.capabilities(model.name).pipe(
        Effect.orElseSucceed(() => undefined),
        Effect.map((shown) => describe(model, loaded, shown))
      ),
    { concurrency: askedAtOnce }
  )
}).pipe(Effect.withSpan("readInventory"))
