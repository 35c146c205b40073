/**
 * What `models` does once flags are read. Loaded when it is needed, like the handler of `run`.
 */
import * as Effect from "effect/Effect"
import { installedModels } from "../../app/modelServer.ts"
import { modelNames, readSetup, type Setup, withDefaultServer } from "../../app/setup.ts"
import { type InstalledModel, modelLines } from "../../domain/models/InstalledModel.ts"
import { outputJson } from "../../domain/text/Json.ts"
import { printableLines } from "../../domain/text/Printable.ts"
import { Output } from "../terminal/Output.ts"

const jsonOf = (model: InstalledModel) => ({
  name: model.name,
  size: model.size,
  completion: model.completion,
  tools: model.tools,
  thinking: model.thinking,
  forwarded: model.isForwarded,
  supportedWindow: model.supportedWindow ?? null,
  modelfileWindow: model.modelfileWindow ?? null,
  loadedWindow: model.loadedWindow ?? null
})

/** The models of the server that the configuration names, whatever model it names. */
const readModels = Effect.fnUntraced(function* () {
  const setup: Setup = yield* withDefaultServer(yield* readSetup(".", {}))
  const models = yield* installedModels(setup)
  return { models, setup }
})

/** Prints the models of the server; those of the configuration are marked. */
export const listModels = Effect.fn("listModels")(function* ({ json }: { readonly json: boolean }) {
  const { print, result, tell } = yield* Output
  const { models, setup } = yield* readModels()
  if (json) return yield* result(outputJson(models.map(jsonOf), 2))
  const { host } = setup.settings
  if (models.length === 0) {
    return yield* tell(`The server at ${host} has no model yet. Get one, for example: ollama pull qwen3:8b (5 GB).`)
  }
  const chosen = new Set(setup.usesDefaultModel ? [] : modelNames(setup))
  const lines = modelLines(models)
  yield* print(
    printableLines(models.map(({ name }, index) => `${chosen.has(name) ? "*" : " "} ${lines[index] ?? ""}`).join("\n"))
  )
  const which = models.some(({ name }) => chosen.has(name))
  yield* tell(which ? "* is what your configuration uses." : "Choose one for good: task-conductor init.")
})
