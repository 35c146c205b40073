/**
 * What may stand in the place of the last word of a command line. Pure; what a machine has is asked for by kind.
 */
import type { CommandDescriptor, FlagDescriptor } from "effect/cli/Completions"

/** What only this machine knows. */
export type Kind = "model" | "run" | "skill"

export interface Candidate {
  readonly text: string
  readonly about: string
}

/** Either candidates, or the kind of them. Nothing where files belong, which the shell knows itself. */
export type Wanted = ReadonlyArray<Candidate> | Kind | undefined

const kindsOfFlags: Readonly<Record<string, Kind>> = { model: "model", skill: "skill" }

/** By the command and the name of its argument. */
const kindOfArgument = (command: string, argument: string): Kind | undefined => {
  if (argument === "RUN") return "run"
  if (argument !== "NAME") return undefined
  return { "models bench": "model" as const, "skills describe": "skill" as const, "skills test": "skill" as const }[
    command
  ]
}

const takesValue = ({ optionalValue, type }: FlagDescriptor): boolean =>
  type._tag !== "Boolean" && optionalValue !== true

const flagOf = ({ flags }: CommandDescriptor, word: string): FlagDescriptor | undefined =>
  flags.find(({ aliases, name }) => word === `--${name}` || aliases.some((alias) => word === `-${alias}`))

const valueOf = ({ name, type }: FlagDescriptor): Wanted =>
  type._tag === "Choice" ? type.values.map((text) => ({ text, about: "" })) : kindsOfFlags[name]

const firstSentence = (text = ""): string => text.split(/(?<=\.) |: |\n/, 1)[0] ?? ""

/** What the last of these words may become. They stand behind the name of the program. */
export const wantedFor = (program: CommandDescriptor, words: ReadonlyArray<string>): Wanted => {
  const last = words.at(-1) ?? ""
  let command = program
  let path = ""
  let flag: FlagDescriptor | undefined
  let given = 0
  for (const word of words.slice(0, -1)) {
    if (flag !== undefined) flag = undefined
    else if (word.startsWith("-")) {
      const found = flagOf(command, word)
      flag = found !== undefined && takesValue(found) ? found : undefined
    } else {
      const below = given === 0 ? command.subcommands.find(({ name }) => name === word) : undefined
      if (below === undefined) given += 1
      else {
        command = below
        path = `${path} ${word}`.trim()
      }
    }
  }
  if (flag !== undefined) return valueOf(flag)
  if (last.startsWith("-")) {
    const flags = command.flags.map(({ description, name }) => ({
      text: `--${name}`,
      about: firstSentence(description)
    }))
    return [...flags, { text: "--help", about: "Show help" }]
  }
  const argument = command.arguments[Math.min(given, command.arguments.length - 1)]
  const kind = argument === undefined ? undefined : kindOfArgument(path, argument.name)
  if (kind !== undefined && (given < command.arguments.length || argument?.variadic === true)) return kind
  return given > 0 || command.subcommands.length === 0
    ? undefined
    : command.subcommands.map(({ description, name }) => ({ text: name, about: firstSentence(description) }))
}
