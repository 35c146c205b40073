/**
 * The commands that a person may type in a conversation instead of a message: `/tools`, `/context` and so on.
 */
import * as Effect from "effect/Effect"
import { nearest } from "../../domain/text/Nearest.ts"
import type { Rule } from "../../domain/permissions/Permission.ts"
import { printable, printableLines } from "../../domain/text/Printable.ts"
import type { AskSession } from "../../services/conversation/Asker.ts"
import { Gate } from "../../services/permissions/Gate.ts"
import { Policies } from "../../services/permissions/Policies.ts"
import { ToolRegistry } from "../../services/tools/ToolRegistry.ts"
import { Workspace } from "../../services/files/Workspace.ts"
import { askTask } from "../../domain/runs/ActivityKey.ts"

const meanings = {
  context: "the files of the project, as the model can list them",
  tools: "what the model can call, and what asks before it runs",
  tasks: "the to-do list of the model",
  permissions: "what is allowed and denied, for this session and permanently",
  new: "start a new conversation; permissions stay",
  help: "this list",
  quit: "leave; so do Ctrl-D, and Ctrl-C twice"
} as const

type SlashCommand = keyof typeof meanings

const help = (): string =>
  [
    "Write a message and press Enter. Ctrl-C stops an answer. Or use one of these commands:",
    ...Object.entries(meanings).map(([command, meaning]) => `  /${command.padEnd(12)} ${meaning}`)
  ].join("\n")

const toolLines = Effect.gen(function* () {
  const { tools } = yield* ToolRegistry
  const width = Math.max(...tools.map(({ name }) => name.length))
  return tools
    .map(({ description, name, risk }) =>
      [name.padEnd(width), risk.padEnd(6), printable(description.split("\n")[0] ?? "")].join("  ")
    )
    .join("\n")
})

const treeLines = Effect.gen(function* () {
  const files = yield* (yield* Workspace).tree
  return files.length === 0 ? "The project has no files." : files.map(printable).join("\n")
}).pipe(Effect.catch((failure) => Effect.succeed(printable(failure.message))))

/** The list is a tool's own; it is asked for like by a model, through the gate. */
const taskLines = Effect.gen(function* () {
  const registry = yield* ToolRegistry
  const gate = yield* Gate
  const prepared = yield* registry.prepare({ uid: "tasks", name: "list_tasks", arguments: {} })
  const listed = yield* registry.execute(yield* gate.authorize({ task: askTask, place: "" }, prepared))
  if (!Array.isArray(listed) || listed.length === 0) return "The list is empty."
  return listed.map((task) => printable(Object.values(task as object).join("  "))).join("\n")
}).pipe(Effect.catch((failure) => Effect.succeed(printableLines(failure.message))))

const ruleLine = ({ pattern, tool, verdict }: Rule): string =>
  `${verdict} ${tool}${pattern === undefined ? "" : `:${printable(pattern)}`}`

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)]

const permissionLines = Effect.fnUntraced(function* (rules: ReadonlyArray<Rule>) {
  const gate = yield* Gate
  const granted = yield* gate.sessionGrants
  const remembered = yield* (yield* Policies).rules
  const lines = [
    ...section(
      "For this session:",
      granted.map((covers) => `allow ${printable(covers)}`)
    ),
    ...section("Remembered:", remembered.map(ruleLine)),
    ...section("From flags and configuration:", rules.map(ruleLine))
  ]
  return lines.length === 0 ? "No rules yet. Anything that is not safe asks first." : lines.join("\n")
})

const isSlashCommand = (name: string): name is SlashCommand => Object.hasOwn(meanings, name)

/** The command that a line is; nothing for a message. A message that begins with a path is not a command. */
export const slashCommandIn = (line: string): string | undefined => /^\/(\w*)\s*$/.exec(line)?.[1]

/** What a command shows; `quit` is for the caller. */
export const showCommand = Effect.fn("showCommand")(function* (
  name: string,
  { forget }: AskSession,
  rules: ReadonlyArray<Rule>
) {
  if (!isSlashCommand(name)) {
    const near = nearest(name, Object.keys(meanings)).slice(0, 1)
    return `Unknown command /${printable(name)}.${near.length === 0 ? "" : ` Did you mean /${near.join("")}?`} /help lists the commands.`
  }
  switch (name) {
    case "context":
      return yield* treeLines
    case "tools":
      return yield* toolLines
    case "tasks":
      return yield* taskLines
    case "permissions":
      return yield* permissionLines(rules)
    case "new":
      return yield* Effect.as(forget, "Started a new conversation. Permissions stay.")
    case "help":
    case "quit":
      return help()
  }
})
