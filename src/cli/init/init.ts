/**
 * `task-conductor init`: writes a configuration for the user or for a project.
 */
import { present, textFlag, withHelp } from "../terminal/Flags.ts"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import * as Terminal from "effect/Terminal"
import * as Command from "effect/cli/Command"
import { requireStays } from "../terminal/OutputPlace.ts"
import * as Flag from "effect/cli/Flag"
import type { Configuration } from "../../domain/configuration/Configuration.ts"
import { printable } from "../../domain/text/Printable.ts"
import { explanationOf } from "../../services/files/FileFailure.ts"
import { projectFileName } from "../../services/configuration/ConfigurationFile.ts"
import { resolveModels } from "../../app/modelChoice.ts"
import type { ModelOffer } from "../../app/RunContext.ts"
import { readSetup, type Setup } from "../../app/setup.ts"
import { modelFlags, runFlags } from "../run/runFlags.ts"
import { chooseFrom } from "../terminal/runContext.ts"
import { CommandFailure, exitCodes, usageFailure } from "../terminal/Failure.ts"
import { Output } from "../terminal/Output.ts"

const flags = {
  scope: Flag.Literals("for", ["me", "project"]).pipe(
    Flag.withDescription("Whose configuration to write: yours, or the project's, for everyone who works on it"),
    Flag.optional
  ),
  model: textFlag("model", "NAME", "The model: --model qwen3:8b").pipe(Flag.withAlias("m"), Flag.optional),
  contextWindow: modelFlags.contextWindow,
  host: textFlag("host", "ADDRESS", "The address of the Ollama server, only for you: --host 192.168.1.5:11434").pipe(
    Flag.optional
  ),
  project: runFlags.project
}

type InitFlags = Command.Command.Config.Infer<typeof flags>

const notWritten = (file: string) => (error: PlatformError) =>
  new CommandFailure({ exitCode: exitCodes.failed, text: `${file} cannot be written. ${explanationOf(error)}` })

const nothingWritten = new CommandFailure({ exitCode: exitCodes.usage, text: "Nothing was written." })

/** Asks at a terminal whose configuration to write. Fails without a terminal. */
const askScope = Effect.gen(function* () {
  const { canAsk, emit, prompt } = yield* Output
  if (!canAsk) return yield* usageFailure("Say whose configuration it is: --for me, or --for project.")
  const terminal = yield* Terminal.Terminal
  yield* emit("Whose configuration should be written?")
  yield* emit("  1  yours, for every project\n  2  this project's, for everyone who works on it")
  for (;;) {
    yield* prompt("1 or 2; Enter takes 1, Ctrl-D none: ")
    const typed = (yield* terminal.readLine).trim().toLowerCase()
    if (["", "1", "me", "yours"].includes(typed)) return "me" as const
    if (["2", "project"].includes(typed)) return "project" as const
    yield* emit("Type 1 or 2.")
  }
}).pipe(Effect.catchTag("QuitError", () => Effect.fail(nothingWritten)))

const requireFree = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  if (!(yield* Effect.orElseSucceed(fs.exists(file), () => false))) return
  return yield* usageFailure(
    `${file} exists and is not overwritten. Change it in an editor; "task-conductor doctor" checks it.`
  )
})

/** The name of the model on its server. Without a flag, asks at a terminal. */
const chooseModel = Effect.fnUntraced(function* (flags: InitFlags) {
  const { canAsk, emit } = yield* Output
  const read = yield* readSetup(flags.project, present({ host: flags.host, model: flags.model }))
  if (read.configuration.model === "embedded" && Option.isSome(flags.model)) return "embedded"
  /* `init` asks for the model even if a configuration names one. */
  const open: Setup = Option.isSome(flags.model) ? read : { ...read, models: { ...read.models, chosenBy: "nobody" } }
  const services = yield* Effect.context<Output | Terminal.Terminal>()
  const pickModel = (offer: ModelOffer) => Effect.provideContext(chooseFrom(offer), services)
  const { notes, setup } = yield* resolveModels(open, canAsk ? pickModel : undefined)
  for (const note of notes) yield* emit(printable(note))
  return setup.settings.model
})

const writeConfiguration = Effect.fn("init")(function* (flags: InitFlags) {
  const { print } = yield* Output
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const scope = Option.isSome(flags.scope) ? flags.scope.value : yield* askScope
  if (scope === "project" && Option.isSome(flags.host)) {
    return yield* usageFailure("--host is only for you: a project cannot choose where prompts are sent. Use --for me.")
  }
  const { project, userFile } = yield* readSetup(flags.project, {})
  const file = scope === "me" ? userFile.path : path.join(project, projectFileName)
  if (scope === "me" && userFile.problem !== undefined) {
    return yield* usageFailure(`${file} cannot be your configuration: ${userFile.problem}.`)
  }
  yield* requireFree(file)
  if (scope === "project") yield* requireStays(project, file)
  const configuration: Configuration = {
    model: yield* chooseModel(flags),
    ...present({ host: flags.host, contextWindow: flags.contextWindow })
  }
  yield* fs
    .makeDirectory(path.dirname(file), { recursive: true })
    .pipe(
      Effect.andThen(fs.writeFileString(file, `${JSON.stringify(configuration, null, 2)}\n`, { flag: "wx" })),
      Effect.mapError(notWritten(file))
    )
  yield* print(`Written: ${file}`)
})

export const init = Command.make("init", flags, writeConfiguration).pipe(
  withHelp("Write a configuration from your answers or from flags. Existing files are never overwritten", {
    "task-conductor init": "Ask for everything",
    "task-conductor init --for me --model qwen3:8b": "Choose the model that you use in every project",
    "task-conductor init --for project --model qwen3:8b --context-window 16384":
      "Write task-conductor.json in this folder"
  })
)
