/**
 * Shows help, version and invalid invocations: requested help on stdout, an invalid invocation as one line on stderr
 * that says how to get help.
 */
import type * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { printable } from "../../domain/text/Printable.ts"
import { Output } from "./Output.ts"
import { promptWithoutCommand, unquotedPrompt } from "./promptWords.ts"

const suggest = (words: ReadonlyArray<string>): string =>
  words.length === 0 ? "" : ` Did you mean ${words.map((word) => `"${word}"`).join(" or ")}?`

/** Without the terms that only the author of a flag understands, as one sentence. */
const plainSentence = (message: string): string =>
  message
    .replace("Expected: Schema validation failed: ", "")
    .replace("a string representing a finite number", "a whole number")
    .replace(/\s+/g, " ")
    .replace(/[^.!?]$/, "$&.")

const invocationText = (error: CliError.NonShowHelpErrors, argv: ReadonlyArray<string>): string => {
  switch (error._tag) {
    case "UnrecognizedOption":
      return `There is no flag "${error.option}".${suggest(error.suggestions)}`
    case "UnknownSubcommand":
      return `There is no command "${error.subcommand}".${suggest(error.suggestions)}`
    case "UnexpectedArgument": {
      const meant = unquotedPrompt(argv, error.arguments)
      if (meant !== undefined) return meant
      return `Unexpected ${error.arguments.length === 1 ? "argument" : "arguments"}: ${error.arguments.map((argument) => JSON.stringify(argument)).join(", ")}. Put text that contains spaces in quotes.`
    }
    default:
      return plainSentence(error.message)
  }
}

/** All that is wrong; only what was meant where words stand in the place of a command. */
const invocationTexts = (
  errors: ReadonlyArray<CliError.NonShowHelpErrors>,
  argv: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const unknown = errors.find(({ _tag }) => _tag === "UnknownSubcommand")
  const isFirst = unknown?._tag === "UnknownSubcommand" && unknown.subcommand === argv[0]
  const meant = isFirst && unknown.suggestions.length === 0 ? promptWithoutCommand(argv) : undefined
  const told = meant === undefined || unknown === undefined ? errors : [unknown]
  return [...told.map((error) => invocationText(error, argv)), ...(meant === undefined ? [] : [meant])]
}

/** Writes help and errors about a command line through `Output`. */
export const layerPresenter = (argv: ReadonlyArray<string>): Layer.Layer<never, never, Output> =>
  Layer.unwrap(
    Effect.gen(function* () {
      const output = yield* Output
      const formatter = CliOutput.defaultFormatter({
        colors: output.resultPaint.bold("") !== "",
        globalFlags: "summary"
      })
      return CliOutput.layerPresenter({
        present: (event) => {
          switch (event._tag) {
            case "Help":
              return event.reason === "Requested"
                ? output.result(formatter.formatHelpDoc(event.helpDoc))
                : output.tell(formatter.formatHelpDoc(event.helpDoc))
            case "Version":
              return output.result(event.version)
            case "InvalidInvocation":
              return output.tell(
                `${printable(invocationTexts(event.errors, argv).join(" "))}\nRun "${event.commandPath.join(" ")} --help" for help.`
              )
          }
        }
      })
    })
  )
