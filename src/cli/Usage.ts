/**
 * Prints help and errors about the command line, with suggestions.
 */
import type * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import type { HelpDoc } from "effect/cli/HelpDoc"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { nearest } from "../domain/text/Nearest.ts"
import { printableLines } from "../domain/text/Printable.ts"
import { Output } from "./terminal/Output.ts"

/** Commands that print a list without a subcommand, so `runs list` means `runs`. */
export const listsItself: ReadonlySet<string> = new Set(["runs", "sessions", "models"])

type Event = CliOutput.Presenter.Event

/** Flags that every command has. The parser does not suggest them. */
const globalFlags = ["--help", "--version"]

/**
 * If an unknown command has no suggestions, the error lists the commands of its group. A group with more commands than
 * this is not listed.
 */
const fewCommands = 6

type Invalid = Extract<Event, { readonly _tag: "InvalidInvocation" }>

const commandsOf = ({ subcommands = [] }: HelpDoc): ReadonlyArray<string> =>
  subcommands.flatMap(({ commands }) => commands.map(({ name }) => name))

/**
 * Suggestions for a wrong word. The parser suggests something only for some errors, and does not know `--help` and
 * `--version`.
 */
const suggestionsOf = (error: CliError.CliError, { commandPath, helpDoc }: Invalid): ReadonlyArray<string> => {
  if (!("suggestions" in error)) return []
  if (error._tag === "UnrecognizedOption") {
    const flags = [...globalFlags, ...helpDoc.flags.map(({ name }) => `--${name}`)]
    /* A one-letter flag resembles every short word, so it is suggested only for another one-letter flag. */
    const spelt = error.suggestions.filter((one) => one.length > 2 || error.option.length === 2)
    return spelt.length > 0 ? spelt : nearest(error.option, flags).slice(0, 1)
  }
  /* The unknown command may be a prompt without quotes, so only the parser's suggestions count. */
  if (commandPath.length === 1) return error.suggestions
  const commands = commandsOf(helpDoc)
  const candidates = listsItself.has(commandPath.at(-1) ?? "") ? [...commands, "list"] : commands
  return error.suggestions.length > 0 ? error.suggestions : nearest(error.subcommand, candidates).slice(0, 1)
}

/** The parser's message with suggestions. If there are none, lists the existing subcommands instead. */
const errorText = (error: CliError.CliError, invalid: Invalid): string => {
  if (!("suggestions" in error)) return error.message
  const [what = ""] = error.message.split("\n\n")
  const near = suggestionsOf(error, invalid)
  if (near.length > 0) return [`${what}\n\n  Did you mean this?`, ...near.map((one) => `    ${one}`)].join("\n")
  if (error._tag !== "UnknownSubcommand") return what
  const commands = commandsOf(invalid.helpDoc)
  return commands.length > fewCommands ? what : `${what}. It has: ${commands.join(", ")}.`
}

const promptCommands: ReadonlySet<string> = new Set(["run", "plan", "ask"])

/** True if the wrong words may be a prompt without quotes, or without the command `run`. */
const looksLikePrompt = (invalid: Invalid): boolean =>
  invalid.errors.some((error) =>
    error._tag === "UnexpectedArgument"
      ? promptCommands.has(invalid.commandPath.at(-1) ?? "")
      : error._tag === "UnknownSubcommand" &&
        suggestionsOf(error, invalid).length === 0 &&
        invalid.commandPath.length === 1
  )

/** True if a command that takes a prompt has an unknown flag. */
const hasUnknownFlag = ({ commandPath, errors }: Invalid): boolean =>
  promptCommands.has(commandPath.at(-1) ?? "") && errors.some(({ _tag }) => _tag === "UnrecognizedOption")

/** Writes help and errors about a command line through `Output`. */
export const layerUsage: Layer.Layer<never, never, Output> = Layer.unwrap(
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
              ...event.errors.map((error) => printableLines(errorText(error, event))),
              ...(hasUnknownFlag(event)
                ? [`Put -- before a prompt that begins with a dash: ${event.commandPath.join(" ")} -- "- fix the test"`]
                : []),
              ...(looksLikePrompt(event) ? ['Put a prompt in quotes: task-conductor run "What does this do?"'] : []),
              `Run "${event.commandPath.join(" ")} --help" for help.`
            ].join("\n")
          )
      }
    }
    return CliOutput.layerPresenter({ present })
  })
)
