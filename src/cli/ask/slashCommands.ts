/**
 * The commands that a person may type in a conversation instead of a message: which there are, and how a line is read as
 * one.
 */
import { nearest } from "../../domain/text/Nearest.ts"
import { printable } from "../../domain/text/Printable.ts"
import { wrapLine } from "../../domain/text/TextWidth.ts"

/** Each command with what may follow it, and what it does. */
const commands = {
  model: ["NAME", "ask another model from the next message on; without a name, show the present one"],
  tools: ["[on|off] [NAMES]", "what the model may call; names choose it (a,b), on and off change it, all resets it"],
  allow: ["TOOL[:PATTERN]", "let these calls run without a question in this session"],
  permissions: ["", "what is allowed and denied, for this session and permanently"],
  context: ["", "the files of the project, as the model can list them"],
  tasks: ["", "the to-do list of the model"],
  save: ["FILE", "write the conversation into a file as markdown"],
  new: ["", "start a new conversation; permissions stay"],
  help: ["", "this list"],
  exit: ["", "leave; so do exit, /quit, Ctrl-D, and Ctrl-C twice"]
} as const satisfies Record<string, readonly [string, string]>

export type CommandName = keyof typeof commands

/** What was typed: a command with what follows it, a command that does not exist, or the wish to leave. */
export type SlashCommand =
  | { readonly _tag: "Command"; readonly name: Exclude<CommandName, "exit">; readonly argument: string }
  | { readonly _tag: "Unknown"; readonly text: string }
  | { readonly _tag: "Exit" }

const usageOf = (name: CommandName): string => `/${name} ${commands[name][0]}`.trimEnd()

/** From this width on, what a command does stands beside it. */
const wide = 72

/** The list of commands, as it fits a terminal. */
export const helpText = (lineBreak: string, columns: number): string => {
  const names = Object.keys(commands) as ReadonlyArray<CommandName>
  const width = Math.max(...names.map((name) => usageOf(name).length))
  const lineOf = (name: CommandName): ReadonlyArray<string> => {
    const [, meaning] = commands[name]
    if (columns < wide) return [`  ${usageOf(name)}`, ...wrapLine(`    ${meaning}`, columns, "    ")]
    return wrapLine(`  ${usageOf(name).padEnd(width)}  ${meaning}`, columns, " ".repeat(width + 4))
  }
  const intro = `Write a message and press Enter. ${lineBreak} Up and Down show earlier messages. Ctrl-C stops an answer.`
  return [...wrapLine(intro, columns, ""), "Or use one of these commands:", ...names.flatMap(lineOf)].join("\n")
}

const isName = (name: string): name is CommandName => Object.hasOwn(commands, name)

const leaving = new Set(["exit", "quit"])

/** What to say about a command that does not exist. */
const unknownText = (name: string): string => {
  const near = nearest(name, Object.keys(commands)).slice(0, 1)
  return `Unknown command /${printable(name)}.${near.length === 0 ? "" : ` Did you mean /${near.join("")}?`} /help lists the commands.`
}

/**
 * The command that a line is; nothing for a message. A message that begins with a path is no command: `/etc/hosts says`.
 */
export const slashCommandIn = (line: string): SlashCommand | undefined => {
  const text = line.trim()
  if (leaving.has(text.toLowerCase())) return { _tag: "Exit" }
  const [, name, argument = ""] = /^\/(\w*)(?:\s+([^\n]*))?$/.exec(text) ?? []
  if (name === undefined) return undefined
  if (leaving.has(name)) return { _tag: "Exit" }
  if (isName(name) && name !== "exit") return { _tag: "Command", name, argument: argument.trim() }
  return { _tag: "Unknown", text: unknownText(name) }
}
