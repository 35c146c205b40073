/**
 * The command line page: one line for each command, and each flag once with its commands.
 */
import type { FlagDoc, HelpDoc } from "effect/cli/HelpDoc"
import * as Option from "effect/Option"
import type { CommandForms } from "../test/support/CommandForms.ts"

const cell = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n")

const flagName = ({ aliases, name, type }: FlagDoc): string => {
  const short = aliases.map((alias) => `, ${alias.startsWith("-") ? alias : `-${alias}`}`).join("")
  return `\`--${name}${type === "boolean" ? "" : ` ${type}`}${short}\``
}

/** The commands of a flag: all, or the first of many. */
const commandsText = (of: ReadonlyArray<string>): string => {
  const shown = of.length > 4 ? of.slice(0, 2) : of
  const more = of.length - shown.length
  return `${shown.map((words) => `\`${words}\``).join(", ")}${more === 0 ? "" : `, ${more} more`}`
}

const usageOf = (words: string, { args = [] }: HelpDoc): string =>
  [words, ...args.map(({ name, required, variadic }) => (required ? name : `[${name}]`) + (variadic ? "..." : ""))]
    .join(" ")
    .trim()

/** The page of all commands by name; "" is the program itself. */
export const cliPage = (forms: CommandForms): string => {
  const commands = [...forms].filter(([words]) => words !== "")
  const flags = new Map<string, { readonly flag: FlagDoc; readonly meaning: string; readonly of: Array<string> }>()
  for (const [words, doc] of commands) {
    for (const flag of [...doc.flags, ...(doc.inheritedFlags ?? [])]) {
      const meaning = Option.getOrElse(flag.description, () => "")
      const key = `${flag.name} ${meaning}`
      const known = flags.get(key) ?? { flag, meaning, of: [] }
      known.of.push(words)
      flags.set(key, known)
    }
  }
  const rows = [...flags.values()].toSorted((a, b) => (a.flag.name < b.flag.name ? -1 : 1))
  return [
    "# The command line",
    "`task-conductor COMMAND --help` shows the flags of one command, with examples. Human text goes to stderr, results to stdout ([exit codes](exit-codes.md)).",
    table(
      ["command", "does"],
      commands.map(([words, doc]) => [`\`${usageOf(words, doc)}\``, cell(doc.description)])
    ),
    "## Flags",
    table(
      ["flag", "meaning", "of"],
      rows.map(({ flag, meaning, of }) => [flagName(flag), cell(meaning), commandsText(of)])
    )
  ].join("\n\n")
}
