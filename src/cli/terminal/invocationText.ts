/**
 * The wording of what is wrong with a command line.
 */
import type * as CliError from "effect/cli/CliError"
import { printable } from "../../domain/text/Printable.ts"
import { isRepeated, nearWords } from "./lineRepair.ts"
import { promptWithoutCommand, unquotedPrompt } from "./promptWords.ts"

const suggest = (word: string, suggestions: ReadonlyArray<string>): string => {
  const near = nearWords(word, suggestions)
  return near.length === 0 ? "" : ` Did you mean ${near.map((name) => `"${name}"`).join(" or ")}?`
}

/** Without the terms that only the author of a flag understands, as one sentence. */
const plainSentence = (message: string): string =>
  message
    .replace("Expected: Schema validation failed: ", "")
    .replace("a string representing a finite number", "a whole number")
    .replace(/\s+/g, " ")
    .replace(/[^.!?]$/, "$&.")

/** A check of our own says in sentences what is wrong; what the parser expects is a phrase. */
const isSentence = (expected: string): boolean => /^[A-Z"].*\.$/s.test(expected)

const valueText = (error: CliError.InvalidValue): string => {
  const { expected, option, value } = error
  if (isRepeated(error)) return `--${option} is given more than once (${value}). Leave one.`
  if (expected.startsWith("omit the value")) return `--no-${option} takes no value. Leave "${value}" out.`
  return isSentence(expected) ? `--${option} ${value === "" ? '""' : value}: ${expected}` : plainSentence(error.message)
}

const invocationText = (error: CliError.NonShowHelpErrors, argv: ReadonlyArray<string>): string => {
  switch (error._tag) {
    case "UnrecognizedOption":
      return `There is no flag "${error.option}".${suggest(error.option, error.suggestions)}`
    case "UnknownSubcommand":
      return `There is no command "${error.subcommand}".${suggest(error.subcommand, error.suggestions)}`
    case "InvalidValue":
      return valueText(error)
    case "UnexpectedArgument": {
      const meant = unquotedPrompt(argv, error.arguments)
      if (meant !== undefined) return meant
      return `Unexpected ${error.arguments.length === 1 ? "argument" : "arguments"}: ${error.arguments.map((argument) => JSON.stringify(argument)).join(", ")}. Put text that contains spaces in quotes.`
    }
    default:
      return plainSentence(error.message)
  }
}

/** A sentence for each thing that is wrong; for words in the place of a command also what was meant. */
export const invocationTexts = (
  errors: ReadonlyArray<CliError.NonShowHelpErrors>,
  argv: ReadonlyArray<string>
): ReadonlyArray<string> =>
  errors.map((error) => {
    const text = printable(invocationText(error, argv))
    if (error._tag !== "UnknownSubcommand" || error.subcommand !== argv[0]) return text
    const near = nearWords(error.subcommand, error.suggestions)
    const meant = near.length === 0 ? promptWithoutCommand(argv) : undefined
    return meant === undefined ? text : `${text} ${meant}`
  })
