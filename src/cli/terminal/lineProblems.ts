/**
 * Everything that is wrong with a command line. The parser reports the first wrong value only; it is asked again for the
 * line without that value until nothing new is found.
 */
import type * as CliError from "effect/cli/CliError"
import type * as CliOutput from "effect/cli/CliOutput"
import * as Effect from "effect/Effect"
import { filler, isRepeated, nearWords, type RepairedLine, repairLine } from "./lineRepair.ts"

/** What the parser says about a line that cannot be used. */
export type InvalidLine = Extract<CliOutput.Presenter.Event, { readonly _tag: "InvalidInvocation" }>

/** Parses a line without doing what it says; nothing when nothing is wrong. */
export type LineCheck<R> = (argv: ReadonlyArray<string>) => Effect.Effect<InvalidLine | undefined, never, R>

type LineError = CliError.NonShowHelpErrors

/** Each problem is told once. */
const identityOf = (error: LineError): string => {
  switch (error._tag) {
    case "InvalidValue":
      return isRepeated(error) ? `${error.option} repeated` : `${error.option}=${error.value}`
    case "MissingOption":
      return `${error.option} missing`
    default:
      return error.message
  }
}

/** What a repair may cause: a flag that lost its wrong value is missing, one that got its right name may be there twice. */
const causedBy = (error: LineError): ReadonlyArray<string> => {
  if (error._tag === "InvalidValue") return [`${error.option} missing`]
  if (error._tag !== "UnrecognizedOption") return []
  return error.suggestions.map((name) => `${name.replace(/^-+/, "")} repeated`)
}

const wordErrors: ReadonlySet<LineError["_tag"]> = new Set(["MissingArgument", "MissingOption", "UnexpectedArgument"])

/**
 * What a line is judged by: flags are those of a command, so a command that does not exist is all that is told. Words are
 * not judged where a word may be the value of a flag that does not exist, or where the command is a guess.
 */
const judged = (
  errors: ReadonlyArray<LineError>,
  { claimed }: RepairedLine,
  isGuess: boolean
): ReadonlyArray<LineError> => {
  const areWordsKnown = claimed.length === 0 && !isGuess
  const left = errors.filter((error) => {
    if (error._tag === "InvalidValue") return error.value !== filler
    if (error._tag === "UnknownSubcommand") return !claimed.includes(error.subcommand)
    return areWordsKnown || !wordErrors.has(error._tag)
  })
  const unknown = left.find(({ _tag }) => _tag === "UnknownSubcommand")
  return unknown === undefined ? left : [unknown]
}

const isDeadEnd = (error: LineError): boolean =>
  error._tag === "UnknownSubcommand" && nearWords(error.subcommand, error.suggestions).length === 0

/** All errors of a line, in the order in which they are found. */
export const lineProblems = Effect.fnUntraced(function* <R>(
  argv: ReadonlyArray<string>,
  first: InvalidLine,
  check: LineCheck<R>
) {
  const found: Array<LineError> = []
  const told = new Set<string>()
  let isGuess = false
  let line: RepairedLine = { argv, claimed: [] }
  let invalid: InvalidLine | undefined = first
  for (let left = 2 * argv.length + 8; invalid !== undefined && left > 0; left -= 1) {
    const { commandPath, errors, helpDoc }: InvalidLine = invalid
    const doc = { ...helpDoc, commandPath }
    const flags = errors.filter(({ _tag }) => _tag === "UnrecognizedOption")
    const telling = judged(errors, repairLine(line, flags, doc), isGuess)
    for (const error of telling) {
      if (!told.has(identityOf(error))) found.push(error)
      for (const key of [identityOf(error), ...causedBy(error)]) told.add(key)
    }
    if (telling.some(isDeadEnd)) return found
    const isOther = telling.some(({ _tag }) => _tag === "UnknownSubcommand")
    const repaired = repairLine(line, isOther ? telling : errors, doc)
    const isSame =
      repaired.argv.length === line.argv.length && repaired.argv.every((word, at) => word === line.argv[at])
    if (isSame) return found
    isGuess ||= isOther
    line = repaired
    invalid = yield* check(line.argv)
  }
  return found
})
