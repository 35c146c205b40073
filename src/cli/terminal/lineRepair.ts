/**
 * Takes what is wrong out of a command line, so that the parser, which stops at the first wrong value, finds what is wrong
 * behind it.
 */
import type * as CliError from "effect/cli/CliError"
import type { HelpDoc } from "effect/cli/HelpDoc"
import { nearest } from "../../domain/text/Nearest.ts"

/** The suggestions that may have been meant. A single letter is never near. */
export const nearWords = (word: string, suggestions: ReadonlyArray<string>): ReadonlyArray<string> =>
  nearest(
    word,
    suggestions.filter((suggestion) => suggestion.replace(/^-+/, "").length > 1)
  )

/** The command line without what is wrong, and the words that may be values of flags that do not exist. */
export interface RepairedLine {
  readonly argv: ReadonlyArray<string>
  readonly claimed: ReadonlyArray<string>
}

type LineError = CliError.NonShowHelpErrors

/** Stands for a value that is missing; nobody types it. */
export const filler = "\u0001"

const isFlag = (word: string | undefined): boolean =>
  word !== undefined && /^-./.test(word) && !Number.isFinite(Number(word))

const without = (argv: ReadonlyArray<string>, at: number, count: number): ReadonlyArray<string> =>
  argv.toSpliced(at, count)

/** How a flag may be written: its name, its negation and its short forms. */
const formsOf = (name: string, { flags, globalFlags = [], inheritedFlags = [] }: HelpDoc): ReadonlyArray<string> => [
  `--${name}`,
  `--no-${name}`,
  ...[...flags, ...inheritedFlags, ...globalFlags].flatMap((flag) => (flag.name === name ? flag.aliases : []))
]

const isBoolean = (name: string, { flags }: HelpDoc): boolean =>
  flags.some((flag) => flag.name === name && flag.type === "boolean")

/** True for a flag that is given more often than it may be. */
export const isRepeated = (error: LineError): boolean =>
  error._tag === "InvalidValue" && error.expected === "at most 1 value"

const withoutFlag = (
  argv: ReadonlyArray<string>,
  error: CliError.InvalidValue,
  doc: HelpDoc
): ReadonlyArray<string> => {
  const forms = formsOf(error.option, doc)
  for (const [at, word] of argv.entries()) {
    const [name = "", ...rest] = word.split("=")
    if (!forms.includes(name)) continue
    const next = argv[at + 1]
    if (isRepeated(error)) return without(argv, at, rest.length > 0 || isBoolean(error.option, doc) ? 1 : 2)
    if (rest.length > 0 ? rest.join("=") === error.value : error.value === "" && (next === undefined || isFlag(next)))
      return without(argv, at, 1)
    if (rest.length === 0 && next === error.value) return without(argv, at, 2)
  }
  return argv
}

const withoutUnknown = (
  { argv, claimed }: RepairedLine,
  { option, suggestions }: CliError.UnrecognizedOption,
  path: ReadonlyArray<string>
): RepairedLine => {
  const at = argv.findIndex((word) => word === option || word.startsWith(`${option}=`))
  const word = argv[at]
  if (word === undefined) return { argv, claimed }
  const [meant] = nearWords(option, suggestions)
  if (meant !== undefined)
    return {
      argv: argv.with(
        at,
        word.replace(option, () => meant)
      ),
      claimed
    }
  const next = argv[at + 1]
  if (word !== option || next === undefined || isFlag(next) || path.includes(next))
    return { argv: without(argv, at, 1), claimed }
  return { argv: without(argv, at, 2), claimed: [...claimed, next] }
}

const withoutError = (line: RepairedLine, error: LineError, doc: HelpDoc): RepairedLine => {
  const { argv, claimed } = line
  switch (error._tag) {
    case "UnrecognizedOption":
      return withoutUnknown(line, error, doc.commandPath ?? [])
    case "UnknownSubcommand": {
      const [meant] = nearWords(error.subcommand, error.suggestions)
      const at = argv.indexOf(error.subcommand)
      return meant === undefined || at < 0 ? line : { argv: argv.with(at, meant), claimed }
    }
    case "InvalidValue":
      return error.kind === "flag" ? { argv: withoutFlag(argv, error, doc), claimed } : line
    case "MissingOption":
      return { argv: [...argv, `--${error.option}`, filler], claimed }
    case "MissingArgument":
      return { argv: [...argv, filler], claimed }
    default:
      return line
  }
}

/** Takes what the errors are about out of a line. */
export const repairLine = (line: RepairedLine, errors: ReadonlyArray<LineError>, doc: HelpDoc): RepairedLine => {
  const end = line.argv.indexOf("--")
  const [before, after] = end < 0 ? [line.argv, []] : [line.argv.slice(0, end), line.argv.slice(end)]
  const repaired = errors.reduce((left, error) => withoutError(left, error, doc), { ...line, argv: before })
  return { ...repaired, argv: [...repaired.argv, ...after] }
}
