/**
 * Handles words that begin with a dash but are not flags, such as the prompt "- fix the test". The parser would read
 * each letter as a flag. Such words are moved behind `--`, where the parser reads them literally.
 */
import type { CommandDescriptor, FlagDescriptor } from "effect/cli/Completions"
import { nearest } from "../../domain/text/Nearest.ts"

/** A command line that the parser can read, or a problem with its solution. */
export interface ReadWords {
  readonly argv: ReadonlyArray<string>
  readonly problem?: string
}

/** Any blank, tab or line end. */
const blank = /[\p{Zs}\t\r\n]/u

/** True if the parser may mistake words of the command line for flags. */
export const hasDashedWords = (argv: ReadonlyArray<string>): boolean =>
  argv.some((word) => word.startsWith("-") && (blank.test(word) || /^-[^-=].+/s.test(word)))

const isNumber = (word: string): boolean => /^-(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(word)

/** Flags of every command, which descriptors do not list. */
const globals = ["help", "h", "version"]

const namesOf = ({ flags }: CommandDescriptor): ReadonlyArray<string> => [
  ...globals,
  ...flags.flatMap(({ aliases, name }) => [name, `no-${name}`, ...aliases])
]

const flagOf = ({ flags }: CommandDescriptor, word: string): FlagDescriptor | undefined =>
  flags.find(({ aliases, name }) => word === `--${name}` || aliases.some((alias) => word === `-${alias}`))

const takesValue = (flag: FlagDescriptor | undefined): boolean =>
  flag !== undefined && flag.type._tag !== "Boolean" && flag.optionalValue !== true

/** True for `--name=value` if the name is a flag or is similar to one. */
const isFlagWithValue = (word: string, command: CommandDescriptor): boolean => {
  const [, name = ""] = /^--?([^\p{Zs}\t\r\n=]+)=/u.exec(word) ?? []
  if (name === "") return false
  const names = namesOf(command)
  return names.includes(name) || (name.length > 2 && nearest(name, names).length > 0)
}

/** True for a word such as `-abc` if one of its letters is no flag. */
const isNoCluster = (word: string, command: CommandDescriptor): boolean => {
  const [, letters = ""] = /^-([^-=][^=]*)/s.exec(word) ?? []
  if (letters.length < 2 || isNumber(word)) return false
  const names = new Set(namesOf(command))
  return [...letters].some((letter) => !names.has(letter))
}

const quoted = (word: string): string => JSON.stringify(word)

/** Moves words so that the parser finds the flags and operands that the user means. */
export const readDashedWords = (program: CommandDescriptor, argv: ReadonlyArray<string>): ReadWords => {
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length
  const joined: Array<string> = []
  const operands: Array<string> = []
  let command = program
  const path = [program.name]
  let isValue = false
  for (const word of argv.slice(0, end)) {
    const isDashed = word.startsWith("-") && word.length > 1
    const hasBlank = blank.test(word)
    if (isValue) {
      isValue = false
      if (isDashed && hasBlank) joined.push(`${joined.pop() ?? ""}=${word}`)
      else joined.push(word)
    } else if (isDashed && hasBlank && !isFlagWithValue(word, command)) {
      if (command === program) {
        return { argv, problem: `There is no command. For a prompt: ${program.name} run ${quoted(word)}` }
      }
      operands.push(word)
    } else if (isDashed && !isNumber(word)) {
      if (command !== program && command.arguments[0]?.name === "PROMPT" && isNoCluster(word, command)) {
        const how = `If it is a prompt, put -- before it: ${path.join(" ")} -- ${quoted(word)}`
        return { argv, problem: `Unrecognized flag: ${word} in command ${path.join(" ")}. ${how}` }
      }
      isValue = takesValue(flagOf(command, word))
      joined.push(word)
    } else {
      const below = command.subcommands.find(({ name }) => name === word)
      if (below !== undefined && operands.length === 0) {
        command = below
        path.push(word)
      }
      if (operands.length > 0) operands.push(word)
      else joined.push(word)
    }
  }
  const rest = argv.slice(end + 1)
  return { argv: operands.length + rest.length === 0 ? joined : [...joined, "--", ...operands, ...rest] }
}
