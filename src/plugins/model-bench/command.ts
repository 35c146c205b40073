/**
 * `task-conductor models bench`: tries models on a few tasks and recommends one for each stage.
 */
import {
  askServer,
  fittingModels,
  installedModels,
  readServer,
  resolveModels,
  toolCallsOfModel
} from "../../kit/models.ts"
import { readSetup, renameModels, saveSetting, type Setup, withProviders } from "../../kit/program.ts"
import { attemptText } from "../../kit/runs.ts"
import {
  CommandFailure,
  exitCodes,
  modelConfiguration,
  modelFlags,
  Output,
  quietFailure,
  switchFlag,
  usageFailure,
  withHelp
} from "../../kit/terminal.ts"
import { belowHome, outputJson, printable, printableLines, secondsText } from "../../kit/text.ts"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Argument from "effect/cli/Argument"
import * as Clock from "effect/Clock"
import * as Option from "effect/Option"
import { type BenchListener, benchModels } from "./modelBench.ts"
import { configurationFor, type ModelScore, recommend, benchLines } from "./BenchScore.ts"

/** Fails if the server cannot be reached. A server that cannot list models is not asked. */
const requireServer = (setup: Setup) =>
  askServer(setup, ({ inventory }) => inventory ?? Effect.void).pipe(
    Effect.catchIf(
      ({ reason }) => reason._tag !== "Unreachable",
      () => Effect.void
    )
  )

/** The models to try, by the server's names. */
const chosen = Effect.fnUntraced(function* (setup: Setup, names: ReadonlyArray<string>) {
  if (names.some((name) => name === "embedded" || name === "")) {
    return yield* usageFailure("The built-in demo is not a language model. Name models of the server.")
  }
  if (names.length > 0) {
    return yield* Effect.forEach(
      [...new Set(names)],
      Effect.fnUntraced(function* (name) {
        const named = yield* withProviders(renameModels(setup, new Map(), name), [])
        yield* requireServer(named)
        return (yield* resolveModels(named, undefined)).setup.settings.model
      })
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

/** The listener that prints progress, with the seconds since the start. */
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

/**
 * Saves in the user's configuration which models work better with native calls. Existing entries stay. Saves nothing if
 * a setting for all models exists, because that setting takes precedence.
 */
const keep = Effect.fnUntraced(function* (scores: ReadonlyArray<ModelScore>) {
  const { emit } = yield* Output
  const keptModels: Array<string> = []
  // Reads the file again, because it may have changed meanwhile.
  const { configuration, folders, userFile } = yield* readSetup(".", {})
  const file = belowHome(userFile.path, folders.home)
  for (const { better, forms, model } of scores) {
    const say = (what: string) => emit(printable(`${model}: ${what}`))
    const set = toolCallsOfModel(configuration.modelToolCalls, model)
    const forAll = configuration.toolCalls ?? configuration.stages?.task?.toolCalls
    if (set !== undefined && set !== better.form) {
      yield* say(`"modelToolCalls" in ${file} says ${set}, which stays. ${better.form} is better: change it there.`)
    } else if (better.form === "text" || set !== undefined || forms.length < 2) {
      yield* say(`${better.form}, as it is already; nothing is written.`)
    } else if (forAll !== undefined) {
      yield* say(
        `"toolCalls" in ${file} says ${forAll}, which comes first; nothing is written. ${better.form} is better.`
      )
    } else {
      yield* Effect.mapError(
        saveSetting(userFile.path, ["modelToolCalls", model], better.form),
        ({ message }) => new CommandFailure({ exitCode: exitCodes.failed, text: `Nothing is kept: ${message}` })
      )
      keptModels.push(model)
      yield* say(`native is kept in ${file}, under "modelToolCalls". Remove it there to go back to text.`)
    }
  }
  return { file: userFile.path, native: keptModels }
})

/** The command `models bench`, with exit code 1 if no model wrote a valid document. */
export const bench = Command.make(
  "bench",
  {
    names: Argument.String("NAME").pipe(
      Argument.withDescription("The models to try. Default: all of the server that write text and are not forwarded"),
      Argument.variadic()
    ),
    ...modelFlags,
    keep: switchFlag(
      "keep",
      "Save native tool calls in your own configuration for the models that do better with them. Your other settings stay"
    ),
    json: switchFlag("json", "Print one JSON object: a score for each model, and the recommendation")
  },
  Effect.fn("models bench")(function* (flags) {
    const { emit, print, result } = yield* Output
    const only = Option.getOrUndefined(flags.toolCalls)
    if (flags.keep && only !== undefined) {
      return yield* usageFailure("--keep compares both forms of tool calls. Leave --tool-calls out.")
    }
    const setup = yield* readServer(modelConfiguration(flags))
    if (flags.keep && setup.userFile.problem !== undefined) {
      return yield* usageFailure(`--keep cannot write ${setup.userFile.path}: ${setup.userFile.problem}.`)
    }
    const names = yield* chosen(setup, flags.names)
    const saved = flags.keep ? "the better form of tool calls is kept at the end" : "nothing is saved"
    yield* emit(`Trying ${names.join(", ")} in a temporary project. Ctrl-C stops; ${saved}.`)
    const scores = yield* benchModels(setup, names, yield* progress(emit), only)
    const keptModels = flags.keep ? yield* keep(scores) : null
    const best = recommend(scores)
    const configuration = configurationFor(best)
    yield* flags.json
      ? result(
          outputJson({ models: scores, recommended: best, configuration: configuration ?? null, kept: keptModels }, 2)
        )
      : print(printableLines(benchLines(scores, best).join("\n")))
    if (configuration === undefined) return yield* quietFailure(exitCodes.failed)
  })
).pipe(
  withHelp(
    "Try models on a small set of tasks: three plans are made, and one is carried out. A model that can take tools carries it out twice, with tool calls as text and through the interface of the server (native). Prints the tasks that were done, rejected answers, the rules broken most, and the speed of each stage. Recommends a model for each stage and a form of tool calls; a tie keeps text. Works in a temporary project; takes minutes for each model",
    {
      "task-conductor models bench": "Try all models of the server",
      "task-conductor models bench qwen3:8b --keep": "Keep native tool calls for it if it does better with them",
      "task-conductor models bench qwen3:8b llama3.2:3b --json": "Compare two, for a script"
    }
  )
)
