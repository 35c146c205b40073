/**
 * `task-conductor models`: what the server has; `models bench` tries models on a small set of tasks, and recommends one for
 * each stage.
 */
import { attemptText } from "../../domain/runs/ActivityKey.ts"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Clock from "effect/Clock"
import { installedModels, resolveModels } from "../../app/modelWindow.ts"
import { modelNames, readSetup, withDefaultServer, renameModels, type Setup } from "../../app/setup.ts"
import { type InstalledModel, modelLines, fittingModels } from "../../domain/models/InstalledModel.ts"
import { outputJson } from "../../domain/text/Json.ts"
import { printableLines, printable } from "../../domain/text/Printable.ts"
import { switchFlag, withHelp } from "../terminal/Flags.ts"
import { Output } from "../terminal/Output.ts"
import { type BenchListener, benchModels } from "../../app/modelBench.ts"
import { configurationFor, recommend, benchLines } from "../../domain/checking/BenchScore.ts"
import { secondsText } from "../../domain/text/Format.ts"
import { modelConfiguration, modelFlags } from "../run/runFlags.ts"
import { CommandFailure, exitCodes, quietFailure, usageFailure } from "../terminal/Failure.ts"

/** The models to try, as the server knows them. */
const chosen = Effect.fnUntraced(function* (setup: Setup, names: ReadonlyArray<string>) {
  if (names.some((name) => name === "embedded" || name === "")) {
    return yield* usageFailure("The built-in demo is not a language model. Name models of the server.")
  }
  if (names.length > 0) {
    return yield* Effect.forEach([...new Set(names)], (name) =>
      Effect.map(
        resolveModels(renameModels({ ...setup, usesDefaultModel: false }, new Map(), name), undefined),
        (found) => found.setup.settings.model
      )
    )
  }
  const installed = yield* installedModels(setup)
  const fitting = fittingModels(installed).filter(({ isForwarded }) => !isForwarded)
  if (fitting.length > 0) return fitting.map(({ name }) => name)
  return yield* new CommandFailure({
    exitCode: exitCodes.unavailable,
    text: `The server at ${setup.settings.host} has no model to try. Get one, for example: ollama pull qwen3:8b (5 GB).`
  })
})

/** Says what a model works on, and what became of it. */
const progress = (emit: Output["Service"]["emit"]) =>
  Effect.map(
    Clock.currentTimeMillis,
    (startedAt): BenchListener =>
      (model, event) =>
        Effect.gen(function* () {
          const seconds = Math.round(((yield* Clock.currentTimeMillis) - startedAt) / 1000)
          const line = (what: string) => emit(printable(`${seconds} s  ${model}  ${what}`))
          if (event.type === "model.started") {
            const { attempt, stage, task } = event.call
            const again = attempt === 1 ? "" : `, ${attemptText(event.call)}`
            return yield* line(`${stage}${task === undefined ? "" : ` "${task}"`}${again}`)
          }
          if (event.type === "model.waiting") return yield* line(`waiting for ${secondsText(event.seconds)}`)
          if (event.type === "model.failed") return yield* line(event.message)
          if (event.type === "answer.rejected") {
            return yield* line(`not valid: ${[...new Set(event.issues.map(({ code }) => code))].join(", ")}`)
          }
        })
  )

/** The command. Exit code 1 when no model gave a valid document. */
export const bench = Command.make(
  "bench",
  {
    names: Argument.String("NAME").pipe(
      Argument.withDescription("The models to try. Default: all of the server that write text and are not forwarded"),
      Argument.variadic()
    ),
    ...modelFlags,
    json: switchFlag("json", "Print one JSON object: a score for each model, and the recommendation")
  },
  Effect.fn("models bench")(function* (flags) {
    const { emit, print, result } = yield* Output
    const setup = yield* withDefaultServer(yield* readSetup(".", modelConfiguration(flags)))
    const names = yield* chosen(setup, flags.names)
    yield* emit(`Trying ${names.join(", ")} in a temporary project. Ctrl-C stops; nothing is saved.`)
    const scores = yield* benchModels(setup, names, yield* progress(emit))
    const best = recommend(scores)
    const configuration = configurationFor(best)
    yield* flags.json
      ? result(outputJson({ models: scores, recommended: best, configuration: configuration ?? null }, 2))
      : print(printableLines(benchLines(scores, best).join("\n")))
    if (configuration === undefined) return yield* quietFailure(exitCodes.failed)
  })
).pipe(
  withHelp(
    "Try models on a small set of tasks that comes with the program: three plans, and one plan that is carried out. Says how many of them came to their end with how many rejected answers, which rules were broken most, and how fast each stage was, and recommends a model for each stage. Works in a temporary project; takes minutes for each model",
    {
      "task-conductor models bench": "Try all models of the server",
      "task-conductor models bench qwen3:8b llama3.2:3b --json": "Compare two, for a script"
    }
  )
)

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

/** The command: prints the models of the server, whatever model the configuration names; those of the configuration are marked. */
export const models = Command.make(
  "models",
  { json: switchFlag("json", "Print a JSON array: name, size, abilities, windows") },
  Effect.fn("models")(function* ({ json }) {
    const { emit, print, result } = yield* Output
    const setup = yield* withDefaultServer(yield* readSetup(".", {}))
    const models = yield* installedModels(setup)
    if (json) return yield* result(outputJson(models.map(jsonOf), 2))
    const { host } = setup.settings
    if (models.length === 0) {
      return yield* emit(`The server at ${host} has no model yet. Get one, for example: ollama pull qwen3:8b (5 GB).`)
    }
    const chosen = new Set(setup.usesDefaultModel ? [] : modelNames(setup))
    const lines = modelLines(models)
    yield* print(
      printableLines(
        models.map(({ name }, index) => `${chosen.has(name) ? "*" : " "} ${lines[index] ?? ""}`).join("\n")
      )
    )
    const which = models.some(({ name }) => chosen.has(name))
    yield* emit(which ? "* is what your configuration uses." : "Choose one for good: task-conductor init.")
  })
).pipe(
  withHelp("List the models of the server: size, largest context window, what each can do", {
    "task-conductor models": "Names, sizes, windows, abilities"
  }),
  Command.withSubcommands([bench])
)
