/**
 * `task-conductor models`: lists the models of the server.
 */
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import { installedModels, readServer } from "../../app/serverModels.ts"
import { pull, unload } from "./pull.ts"
import { modelNames } from "../../app/setup.ts"
import { type InstalledModel, modelLines } from "../../domain/models/InstalledModel.ts"
import { outputJson } from "../../domain/text/Json.ts"
import { printableLines } from "../../domain/text/Printable.ts"
import { switchFlag, withHelp } from "../terminal/Flags.ts"
import { Output } from "../terminal/Output.ts"

const jsonOf = ({ abilities, capacity, isForwarded = false, memory, name, size }: InstalledModel) => ({
  name,
  size,
  completion: abilities.completion ?? true,
  tools: abilities.tools ?? false,
  thinking: abilities.thinking ?? false,
  forwarded: isForwarded,
  supportedWindow: capacity.supportedWindow ?? null,
  modelfileWindow: capacity.modelfileWindow ?? null,
  loadedWindow: capacity.loadedWindow ?? null,
  loadedBytes: memory?.bytes ?? null,
  gpuBytes: memory?.gpuBytes ?? null
})

/** Lists the models of the configured or default server, and marks those that the configuration uses. */
export const models = Command.make(
  "models",
  { json: switchFlag("json", "Print a JSON array: name, size, abilities, windows, and of loaded models the memory") },
  Effect.fn("models")(function* ({ json }) {
    const { emit, print, result } = yield* Output
    const setup = yield* readServer({})
    const models = yield* installedModels(setup)
    if (json) return yield* result(outputJson(models.map(jsonOf), 2))
    const { host } = setup.settings
    if (models.length === 0) {
      return yield* emit(`The server at ${host} has no model yet. Get one, for example: ollama pull qwen3:8b (5 GB).`)
    }
    const chosen = new Set(setup.models.chosenBy === "nobody" ? [] : modelNames(setup))
    const lines = modelLines(models)
    yield* print(
      printableLines(
        models.map(({ name }, index) => `${chosen.has(name) ? "*" : " "} ${lines[index] ?? ""}`).join("\n")
      )
    )
    const which = models.some(({ name }) => chosen.has(name))
    yield* emit(which ? "* marks the models of your configuration." : "Choose one for good: task-conductor init.")
  })
).pipe(
  withHelp(
    "List the models of the server: size, largest context window, abilities, and how much of a loaded model is outside the graphics card",
    {
      "task-conductor models": "Names, sizes, windows, abilities"
    }
  ),
  Command.withSubcommands([pull, unload])
)
