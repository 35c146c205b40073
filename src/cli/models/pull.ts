/**
 * Implements `task-conductor models pull NAME`, which downloads a model to the server, and `models unload NAME`, which
 * removes it from the server's memory.
 */
import * as Command from "effect/cli/Command"
import * as Argument from "effect/cli/Argument"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { pullModel, unloadModel } from "../../app/serverModels.ts"
import { type ModelError } from "../../domain/models/ModelAnswer.ts"
import {
  makePullProgress,
  pulledPercent,
  type PullProgress,
  type PullStep,
  pullText
} from "../../domain/models/ModelPull.ts"
import { outputJson } from "../../domain/text/Json.ts"
import { printable } from "../../domain/text/Printable.ts"
import { cutText } from "../../domain/text/TextWidth.ts"
import { CommandFailure, exitCodes } from "../terminal/Failure.ts"
import { switchFlag, withHelp } from "../terminal/Flags.ts"
import { Output } from "../terminal/Output.ts"

/**
 * If the terminal cannot redraw a line, a new line is printed each time the download has advanced by this many percent.
 */
const lineEvery = 10

/** The time between two lines of JSON, in milliseconds. */
const jsonEvery = 1000

/** Shows the progress: as one redrawn line on a terminal, as lines elsewhere, or as JSON. */
const makeShow = Effect.fnUntraced(function* (name: string, isJson: boolean) {
  const { emit, result, screen } = yield* Output
  const began = yield* Clock.currentTimeMillis
  let first: number | undefined
  let lastLine = ""
  let lastAt = -Infinity
  const textAt = (progress: PullProgress, now: number) => {
    first ??= progress.total === 0 ? undefined : progress.completed
    const came = progress.completed - (first ?? 0)
    return printable(`${name}: ${pullText(progress, (came * 1000) / Math.max(1, now - began))}`)
  }
  return Effect.fnUntraced(function* (progress: PullProgress) {
    const now = yield* Clock.currentTimeMillis
    const text = textAt(progress, now)
    const isCounting = progress.total > 0 && progress.completed < progress.total
    const step = isCounting
      ? `${Math.floor(pulledPercent(progress) / lineEvery) * lineEvery}`
      : progress.status.replace(/^pulling [\da-f]{12}$/, "pulling")
    if (isJson) {
      if (step === lastLine && now - lastAt < jsonEvery) return
      ;[lastLine, lastAt] = [step, now]
      return yield* result(outputJson({ model: name, ...progress }))
    }
    if (screen.canDraw) return screen.show(({ columns }) => [cutText(text, columns - 1)])
    if (step === lastLine) return
    lastLine = step
    yield* emit(text)
  })
})

/** True if the server says that it does not know the model. */
const isUnknown = ({ what }: ModelError): boolean => /file does not exist|manifest unknown|not found/i.test(what)

const pullFailure = (name: string, hasBegun: boolean, error: ModelError) => {
  if (error.reason._tag !== "DiedMidStream") return error
  const text = isUnknown(error)
    ? `There is no model "${name}" in the Ollama library. Look for one at https://ollama.com/library.`
    : `"${name}" could not be pulled: ${error.what}.${hasBegun ? " The downloaded part is kept; the same command continues it." : ""}`
  return new CommandFailure({ exitCode: exitCodes.unavailable, text: printable(text) })
}

const nameArgument = Argument.String("NAME").pipe(
  Argument.filter(
    (name) => name.trim() !== "",
    () => "the name of a model"
  )
)

/** Exits with code 5 if the model could not be downloaded. */
export const pull = Command.make(
  "pull",
  {
    name: nameArgument.pipe(Argument.withDescription("A model of the Ollama library, or of another registry")),
    json: switchFlag("json", "Print JSON Lines: status, total and completed in bytes; the last has the status success")
  },
  Effect.fn("models pull")(function* ({ json, name }) {
    const { emit, screen } = yield* Output
    const show = yield* makeShow(name, json)
    const add = makePullProgress()
    let hasBegun = false
    const listen = (step: PullStep) => {
      const progress = add(step)
      hasBegun ||= progress.total > 0
      return show(progress)
    }
    yield* pullModel(name, listen).pipe(
      Effect.catchTag("ModelError", (error) => Effect.fail(pullFailure(name, hasBegun, error))),
      Effect.ensuring(Effect.sync(() => screen.hide()))
    )
    if (!json) yield* emit(printable(`${name} is installed. Use it with --model ${name}.`))
  })
).pipe(
  withHelp(
    "Download a model to the Ollama server. Broken connections are retried. After Ctrl-C, the same command continues the download",
    {
      "task-conductor models pull qwen3:8b": "Get a model (5 GB)",
      "task-conductor models pull qwen3:8b --json": "The same for a script"
    }
  )
)

export const unload = Command.make(
  "unload",
  {
    names: nameArgument.pipe(
      Argument.withDescription("Models that are in memory; see task-conductor models"),
      Argument.variadic({ min: 1 })
    ),
    json: switchFlag("json", "Print a JSON array: name, and whether it was loaded")
  },
  Effect.fn("models unload")(function* ({ json, names }) {
    const { emit, result } = yield* Output
    const unloaded = yield* Effect.forEach(names, (name) =>
      Effect.map(unloadModel(name), (wasLoaded) => ({ name, wasLoaded }))
    )
    if (json) return yield* result(outputJson(unloaded, 2))
    for (const { name, wasLoaded } of unloaded) {
      yield* emit(printable(wasLoaded ? `${name} is unloaded.` : `${name} was not loaded.`))
    }
  })
).pipe(
  withHelp("Unload models from the memory of the Ollama server", {
    "task-conductor models unload qwen3:8b": "Free its memory now"
  })
)
