/**
 * Words of a command line that begin with a dash and are no flags, such as the prompt "- fix the test". The parser reads each letter of
 * such a word as a flag, and prints the help when one of them is an h. A word with a blank is no flag, unless it begins with the name
 * of one and `=`: it goes behind `--`, where the parser takes every word as it is.
 */
import type { CommandDescriptor, FlagDescriptor } from "effect/cli/Completions"
import { nearest } from "../../domain/text/Nearest.ts"

/** A command line for the parser, or what is wrong with it and what to do. */
export interface ReadWords {
  readonly argv: ReadonlyArray<string>
  readonly problem?: string
}

/** A character between words that a person sees. */
const blank = /[\p{Zs}\t\r\n]/u

/** True for a command line with words that the parser may take for flags although they are none. */
export const hasDashedWords = (argv: ReadonlyArray<string>): boolean =>
  argv.some((word) => word.startsWith("-") && (blank.test(word) || /^-[^-=].+/s.test(word)))

const isNumber = (word: string): boolean => /^-(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(word)

/** The flags of every command, which descriptors do not have. */
const globals = ["help", "h", "version"]

const namesOf = ({ flags }: CommandDescriptor): ReadonlyArray<string> => [
  ...globals,
  ...flags.flatMap(({ aliases, name }) => [name, `no-${name}`, ...aliases])
]

const flagOf = ({ flags }: CommandDescriptor, word: string): FlagDescriptor | undefined =>
  flags.find(({ aliases, name }) => word === `--${name}` || aliases.some((alias) => word === `-${alias}`))

const takesValue = (flag: FlagDescriptor | undefined): boolean =>
  flag !== undefined && flag.type._tag !== "Boolean" && flag.optionalValue !== true

/** True for `--name=value` of a flag of the command, or of one that is spelled nearly like it. */
const isFlagWithValue = (word: string, command: CommandDescriptor): boolean => {
  const [, name = ""] = /^--?([^\p{Zs}\t\r\n=]+)=/u.exec(word) ?? []
  if (name === "") return false
  const names = namesOf(command)
  return names.includes(name) || (name.length > 2 && nearest(name, names).length > 0)
}

/** True for letters behind one dash of which some are no flags. */
const isNoCluster = (word: string, command: CommandDescriptor): boolean => {
  const [, letters = ""] = /^-([^-=][^=]*)/s.exec(word) ?? []
  if (letters.length < 2 || isNumber(word)) return false
  const names = new Set(namesOf(command))
  return [...letters].some((letter) => !names.has(letter))
}

const quoted = (word: string): string => JSON.stringify(word)

/** The words in the order in which the parser finds the flags and the operands that are meant. */
export const readDashedWords = (program: CommandDescriptor, argv: ReadonlyArray<string>): ReadWords => {
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length
  const kept: Array<string> = []
  const operands: Array<string> = []
  let command = program
  const path = [program.name]
  let isValue = false
  for (const word of argv.slice(0, end)) {
    const isDashed = word.startsWith("-") && word.length > 1
    const hasBlank = blank.test(word)
    if (isValue) {
      isValue = false
      if (isDashed && hasBlank) kept.push(`${kept.pop() ?? ""}=${word}`)
      else kept.push(word)
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
      kept.push(word)
    } else {
      const below = command.subcommands.find(({ name }) => name === word)
      if (below !== undefined && operands.length === 0) {
        command = below
        path.push(word)
      }
      if (operands.length > 0) operands.push(word)
      else kept.push(word)
    }
  }
  const rest = argv.slice(end + 1)
  return { argv: operands.length + rest.length === 0 ? kept : [...kept, "--", ...operands, ...rest] }
}
