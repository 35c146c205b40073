/**
 * Runs a command line to its exit code: shows help and version, and reports everything that goes wrong. `launch` handles the
 * process around it.
 */
import * as CliOutput from "effect/cli/CliOutput"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as NodeServices from "@effect/platform-node/NodeServices"
import * as Cause from "effect/Cause"
import * as Command from "effect/cli/Command"
import { printableLines } from "../domain/text/Printable.ts"
import { Output, redactText } from "./terminal/Output.ts"
import { version } from "../app/version.ts"
import { commandNames, layerFlags, taskConductor } from "./taskConductor.ts"
import { exitCodes, failureOf } from "./terminal/Failure.ts"
import type { Signals } from "./terminal/Signals.ts"

/**
 * The flags that the words stand for: `help run` is `run --help`, `version` is `--version`. A command that does not exist
 * keeps no help, so that its name is what is wrong.
 */
export const withPlainWords = (argv: ReadonlyArray<string>, commands: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [first, ...rest] = argv
  if (first === "version" && rest.length === 0) return ["--version"]
  if (first !== "help") return argv
  const [named] = rest
  return named === undefined || named.startsWith("-") || commands.includes(named) ? [...rest, "--help"] : rest
}

type Event = CliOutput.Presenter.Event

const promptCommands: ReadonlySet<string> = new Set(["run", "plan", "ask"])

/** True for words that may be a prompt without quotes, or without a command. */
const looksLikePrompt = ({ commandPath, errors }: Extract<Event, { readonly _tag: "InvalidInvocation" }>): boolean =>
  errors.some((error) =>
    error._tag === "UnexpectedArgument"
      ? promptCommands.has(commandPath.at(-1) ?? "")
      : error._tag === "UnknownSubcommand" && error.suggestions.length === 0 && commandPath.length === 1
  )

/** Writes help and errors about a command line through `Output`. */
export const layerPresenter: Layer.Layer<never, never, Output> = Layer.unwrap(
  Output.useSync((output) => {
    const formatter = CliOutput.defaultFormatter({
      colors: output.resultPaint.bold("") !== "",
      globalFlags: "summary"
    })
    const present = (event: Event): Effect.Effect<void> => {
      switch (event._tag) {
        case "Help": {
          const print = event.reason === "Requested" ? output.result : output.emit
          return print(formatter.formatHelpDoc(event.helpDoc))
        }
        case "Version":
          return output.result(event.version)
        case "InvalidInvocation":
          return output.emit(
            [
              ...event.errors.map(({ message }) => printableLines(message)),
              ...(looksLikePrompt(event) ? ['Put a prompt in quotes: task-conductor run "What does this do?"'] : []),
              `Run "${event.commandPath.join(" ")} --help" for help.`
            ].join("\n")
          )
      }
    }
    return CliOutput.layerPresenter({ present })
  })
)

const internalError = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  const what = (error instanceof Error ? error.message : String(error)).split("\n")[0]
  const line = `internal error: ${what}. This is a bug in task-conductor, please report it.`
  return process.env["TASK_CONDUCTOR_DEBUG"] === "1"
    ? `${line}\n${Cause.pretty(cause)}`
    : `${line} TASK_CONDUCTOR_DEBUG=1 shows details.`
}

/** Whatever an error quotes has no power over the terminal, and holds no secret. */
const say = (text: string, exitCode: number) =>
  Output.use(({ emit }) => emit(printableLines(redactText(text)))).pipe(Effect.as(exitCode))

/** A result that did not arrive is a failure, also of work that went well. */
const requireWritten = (exitCode: number) =>
  Output.use(({ emit, lost }) => {
    const reason = lost()
    return reason === undefined
      ? Effect.succeed(exitCode)
      : emit(`The result could not be written to stdout (${reason}). Write it elsewhere and run again.`).pipe(
          Effect.as(exitCode === 0 ? exitCodes.failed : exitCode)
        )
  })

/** `runs list` is `runs`: other commands that list have the word. */
const withoutList = (argv: ReadonlyArray<string>): ReadonlyArray<string> =>
  argv[0] === "runs" && argv[1] === "list" ? ["runs", ...argv.slice(2)] : argv

/** Runs the command that `argv` names. */
export const runCommandLine = (
  argv: ReadonlyArray<string>
): Effect.Effect<number, never, NodeServices.NodeServices | Output | Signals> => {
  const line = withPlainWords(withoutList(argv), commandNames)
  return Effect.flatMap(taskConductor(line), (program) => Command.runWith(program, { version })(line)).pipe(
    Effect.as(0),
    Effect.catchTag("ShowHelp", () => Effect.succeed<number>(exitCodes.usage)),
    Effect.catch((error) => {
      const { exitCode, text } = failureOf(error)
      if (text === "") return Effect.succeed(exitCode)
      const isUsage = error._tag === "CommandFailure" && exitCode === exitCodes.usage
      return say(isUsage ? `${text}\nRun "task-conductor ${argv[0]} --help" for help.` : text, exitCode)
    }),
    Effect.catchCauseIf(Cause.hasDies, (cause) => say(internalError(cause), exitCodes.failed)),
    Effect.flatMap(requireWritten),
    Effect.provide(Layer.merge(layerPresenter, layerFlags))
  )
}
