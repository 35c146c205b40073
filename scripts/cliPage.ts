/**
 * The page about the command line: each command with a line, and each flag once with the commands that have it.
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

/** The first sentence without its example, which `--help` shows. */
const brief = (text: string): string => cell(text.split(/: --|\. |; |\n/)[0] ?? "")

/** Flags that mean the same in all commands, though each says it in its own words. */
const sharedMeanings: Readonly<Record<string, string>> = { json: "Print JSON instead of text" }

/** Where a flag is: all commands, or the first when there are many. */
const commandsText = (of: ReadonlyArray<string>): string => {
  const shown = of.length > 4 ? of.slice(0, 2) : of
  const more = of.length - shown.length
  return `${shown.map((words) => `\`${words}\``).join(", ")}${more === 0 ? "" : `, ${more} more`}`
}

const usageOf = (words: string, { args = [] }: HelpDoc): string =>
  [words, ...args.map(({ name, required, variadic }) => (required ? name : `[${name}]`) + (variadic ? "..." : ""))]
    .join(" ")
    .trim()

/** The page for all commands by their words; "" is the program itself. */
export const cliPage = (forms: CommandForms): string => {
  const commands = [...forms].filter(([words]) => words !== "")
  const flags = new Map<string, { readonly flag: FlagDoc; readonly meaning: string; readonly of: Array<string> }>()
  for (const [words, doc] of commands) {
    for (const flag of [...doc.flags, ...(doc.inheritedFlags ?? [])]) {
      const meaning = Option.getOrElse(flag.description, () => "")
      const key = `${flag.name} ${flag.name in sharedMeanings ? "" : brief(meaning)}`
      const known = flags.get(key) ?? { flag, meaning, of: [] }
      known.of.push(words)
      flags.set(key, known)
    }
  }
  const rows = [...flags.values()].toSorted((a, b) => (a.flag.name < b.flag.name ? -1 : 1))
  return [
    "# The command line",
    "`--help` behind a command shows all about it, with examples. Results go to stdout, other text to stderr ([exit codes](exit-codes.md)).",
    table(
      ["command", "does"],
      commands.map(([words, doc]) => [`\`${usageOf(words, doc)}\``, brief(doc.description)])
    ),
    "## Flags",
    table(
      ["flag", "meaning", "of"],
      rows.map(({ flag, meaning, of }) => [
        flagName(flag),
        sharedMeanings[flag.name] ?? brief(meaning),
        commandsText(of)
      ])
    )
  ].join("\n\n")
}
