/** The slash commands of a conversation: finds a command in a line, and runs it. */
import { leadsOut } from "../../services/files/CanonicalPath.ts"
import * as Effect from "effect/Effect"
import { folderIdentity } from "../../services/files/FileLook.ts"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as DateTime from "effect/DateTime"
import { splitCommand } from "../../domain/commands/CommandSplit.ts"
import {
  type ConversationSummary,
  conversationMarkdown,
  lastLines,
  summaryOf
} from "../../domain/conversation/Conversation.ts"
import type { CustomCommand } from "../../domain/conversation/CustomCommand.ts"
import { resultText } from "../../domain/models/OutputText.ts"
import { assumedScale } from "../../domain/models/PromptSize.ts"
import { parseRule, type Rule } from "../../domain/permissions/Permission.ts"
import { concernsProject } from "../../domain/permissions/PolicyFormat.ts"
import { nearest, nearestOrAll } from "../../domain/text/Nearest.ts"
import { harmless, printable, printableLines } from "../../domain/text/Printable.ts"
import { counted, withoutProject } from "../../domain/text/Format.ts"
import { cutText, wrapLine } from "../../domain/text/TextWidth.ts"
import { type ConversationContext, conversationPlace } from "../../app/conversation.ts"
import { findConversation, keptConversations } from "../../services/conversation/ConversationStore.ts"
import { whenText } from "../runs/runList.ts"
import type { FittedSetup } from "../../app/modelChoice.ts"
import { askText } from "../approval/TerminalQuestion.ts"
import type { AskSession } from "../../services/conversation/AskSession.ts"
import { Workspace } from "../../services/files/Workspace.ts"
import { RunAnswers } from "../../services/permissions/RunAnswers.ts"
import { ProjectWriteLock } from "../../services/files/ProjectWriteLock.ts"
import { FileVersions } from "../../services/files/FileVersions.ts"
import { patchOf, shownChanges, undoChanges } from "../../services/history/RunChanges.ts"
import { fileChanges } from "../../domain/history/FileChanges.ts"
import { Policies } from "../../services/permissions/Policies.ts"
import { ToolRegistry } from "../../services/tools/ToolRegistry.ts"
import { Output } from "../terminal/Output.ts"

/** Each command, with its arguments and its explanation. */
const commands = {
  model: ["NAME", "ask another model from the next message on; without a name, show the present one"],
  tools: ["[on|off] [NAMES]", "what the model may call; names choose it (a,b), on and off change it, all resets it"],
  allow: ["TOOL[:PATTERN]", "allow these calls for this session without a question"],
  permissions: ["", "what is allowed and denied, for this session and permanently"],
  context: ["", "the files of the project, as the model can list them"],
  tasks: ["", "the to-do list of the model"],
  diff: ["", "what this conversation changed in files"],
  undo: ["[PATH]", "take these changes back, or those of a file or folder"],
  save: ["FILE", "write the conversation into a file as markdown"],
  new: ["", "start a new conversation; permissions stay"],
  clear: ["", "start a new conversation and clear the screen"],
  compact: ["", "shorten the conversation; your messages and the answers stay"],
  sessions: ["[NUMBER]", "the conversations about this project; go on with one of them"],
  edit: ["[TEXT]", "write the message in your $EDITOR"],
  help: ["", "this list"],
  exit: ["", "leave; so do exit, /quit, Ctrl-D, and Ctrl-C twice"]
} as const satisfies Record<string, readonly [string, string]>

type CommandName = keyof typeof commands

export const slashCommandNames = Object.keys(commands) as ReadonlyArray<CommandName>

/** The meaning of a line that begins like a command. */
type SlashCommand =
  | { readonly _tag: "Command"; readonly name: Exclude<CommandName, "edit" | "exit">; readonly argument: string }
  | { readonly _tag: "Edit"; readonly text: string }
  | { readonly _tag: "Unknown"; readonly text: string }
  | { readonly _tag: "Exit" }

const usageOf = (name: CommandName): string => `/${name} ${commands[name][0]}`.trimEnd()

/** In a terminal with at least this many columns, the help shows explanations beside the commands. */
const wide = 72

/** The help about the commands. `columns` is the terminal's width. */
const helpText = (keys: string, columns: number, customCommands: ReadonlyArray<CustomCommand>): string => {
  const rows = [
    ...slashCommandNames.map((name) => [usageOf(name), commands[name][1]] as const),
    ...customCommands.map(({ description, isOwn, name }) => {
      const whose = isOwn ? "your message" : "a message of the project"
      return [`/${name}`, description === "" ? whose : `${printable(description)} (${whose})`] as const
    })
  ]
  const width = Math.max(...rows.map(([usage]) => usage.length))
  const linesOf = ([usage, meaning]: readonly [string, string]): ReadonlyArray<string> => {
    if (columns < wide) return [`  ${usage}`, ...wrapLine(`    ${meaning}`, columns, "    ")]
    return wrapLine(`  ${usage.padEnd(width)}  ${meaning}`, columns, " ".repeat(width + 4))
  }
  const intro = `Write a message and press Enter. ${keys} Ctrl-C stops an answer. @path sends a file or a picture with the message, @path#L10-L20 lines of it. A line that begins with ! runs a command, and the model sees its output.`
  return [...wrapLine(intro, columns, ""), "Or use one of these commands:", ...rows.flatMap(linesOf)].join("\n")
}

const isName = (name: string): name is CommandName => Object.hasOwn(commands, name)

const leaving = new Set(["exit", "quit"])

const unknownText = (name: string, own: ReadonlyArray<CustomCommand>): string => {
  const near = nearest(name, [...slashCommandNames, ...own.map((one) => one.name)]).slice(0, 1)
  return `Unknown command /${printable(name)}.${near.length === 0 ? "" : ` Did you mean /${near.join("")}?`} /help lists the commands.`
}

/** The command in a line. Undefined for a message, which may begin with a path such as `/etc/hosts`. */
export const slashCommandIn = (
  line: string,
  customCommands: ReadonlyArray<CustomCommand> = []
): SlashCommand | undefined => {
  const text = line.trim()
  if (leaving.has(text.toLowerCase())) return { _tag: "Exit" }
  const [, name, argument = ""] = /^\/([\w-]*)(?:\s+([^]*))?$/.exec(text) ?? []
  if (name === undefined) return undefined
  if (leaving.has(name)) return { _tag: "Exit" }
  if (name === "edit") return { _tag: "Edit", text: argument }
  if (isName(name) && name !== "exit" && name !== "edit") return { _tag: "Command", name, argument: argument.trim() }
  if (customCommands.some((one) => one.name === name)) return undefined
  return { _tag: "Unknown", text: unknownText(name, customCommands) }
}

/** The names in a list, separated by commas or blanks. */
export const toolNames = (text: string): ReadonlyArray<string> => text.split(/[\s,]+/).filter((name) => name !== "")

/** The names of the tools that the model may call after `/tools` with this argument. Undefined means all tools. */
const chooseTools = (argument: string, offered: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
  const [first = "", ...rest] = toolNames(argument)
  if (first === "all" && rest.length === 0) return undefined
  if (first === "on" && rest.length > 0) return [...new Set([...offered, ...rest])]
  if (first !== "off" || rest.length === 0) return [first, ...rest]
  const missing = rest.filter((name) => !offered.includes(name))
  /* Unknown names stay, so that the program reports them. */
  return [...offered.filter((name) => !rest.includes(name)), ...missing]
}

const usualColumns = 80

/** What a command prints. `next` is the setup with a newly chosen model. */
interface CommandResult {
  readonly text: string
  readonly next?: FittedSetup
}

interface CommandContext {
  readonly session: AskSession
  readonly conversation: ConversationContext
  /** The help about keys. */
  readonly keys: string
}

const treeLines = Effect.gen(function* () {
  const files = yield* (yield* Workspace).tree
  return files.length === 0 ? "The project has no files." : files.map(printable).join("\n")
}).pipe(Effect.catch((failure) => Effect.succeed(printable(failure.message))))

/** The lines of the model's to-do list, which a tool keeps. */
const taskLines = Effect.fnUntraced(function* (session: AskSession) {
  const { data, error_message } = yield* session.call("list_tasks", {})
  if (error_message !== null) return printableLines(error_message)
  if (!Array.isArray(data) || data.length === 0) return "The list is empty."
  return data.map((task) => printable(Object.values(task as object).join("  "))).join("\n")
})

/** The file changes that tools made during the conversation. */
const changesHere = Effect.gen(function* () {
  const versions = yield* FileVersions
  const { root } = yield* Workspace
  return { what: "This conversation", root, changes: fileChanges(versions.changes()), versions }
})

const diffLines = Effect.gen(function* () {
  const changes = yield* shownChanges(yield* changesHere)
  const made = changes.filter(({ state }) => state !== "undone")
  return made.length === 0 ? "This conversation changed no file." : harmless(patchOf(made))
})

const undo = Effect.fnUntraced(function* (path: string) {
  const lock = yield* ProjectWriteLock
  const { emit } = yield* Output
  const reason = yield* lock.claim(emit)
  if (reason !== undefined) return printable(`/undo ${reason}.`)
  const paths = yield* Effect.ensuring(
    undoChanges(yield* changesHere, path === "" ? {} : { paths: [path] }),
    lock.release
  )
  return paths.length === 0 ? "Nothing to undo." : `Undone: ${paths.map(printable).join(", ")}`
})

const ruleLine = ({ pattern, tool, verdict }: Rule): string =>
  `${verdict} ${tool}${pattern === undefined ? "" : `:${printable(pattern)}`}`

const section = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)]

const permissionLines = Effect.fnUntraced(function* (givenRules: ReadonlyArray<Rule>) {
  const answers = yield* RunAnswers
  const granted = answers.grants.session()
  const added = yield* answers.addedRules
  const { root } = yield* Workspace
  const remembered = (yield* (yield* Policies).rules).filter((rule) =>
    concernsProject(rule, root, folderIdentity(root))
  )
  const lines = [
    ...section("For this session:", [...added.map(ruleLine), ...granted.map((covers) => `allow ${printable(covers)}`)]),
    ...section("Remembered:", remembered.map(ruleLine)),
    ...section("From flags and configuration:", givenRules.map(ruleLine))
  ]
  return lines.length === 0 ? "No rules yet. Anything that is not safe asks first." : lines.join("\n")
})

const toolLines = Effect.fnUntraced(function* ({ session }: CommandContext) {
  const { tools } = yield* ToolRegistry
  const offered = new Set((yield* session.tools).map(({ name }) => name))
  const width = Math.max(...tools.map(({ name }) => name.length))
  return tools
    .map(({ description, name, risk }) =>
      [
        name.padEnd(width),
        (offered.has(name) ? risk : "off").padEnd(6),
        printable(description.split("\n")[0] ?? "")
      ].join("  ")
    )
    .join("\n")
})

const choose = Effect.fnUntraced(function* (argument: string, { session }: CommandContext) {
  const names = chooseTools(
    argument,
    (yield* session.tools).map(({ name }) => name)
  )
  yield* session.offer(names)
  const offered = yield* session.tools
  return `The model may call: ${offered.map(({ name }) => name).join(", ") || "nothing"}.`
})

const allow = Effect.fnUntraced(function* (argument: string) {
  if (argument === "") return 'Say what to allow: /allow read_file, /allow "read_file:docs/*".'
  const { tools } = yield* ToolRegistry
  const rule = parseRule("allow", argument.replace(/^"(.*)"$/, "$1"))
  if (Result.isFailure(rule)) return `/allow ${printable(argument)}: ${rule.failure}`
  const { tool } = rule.success
  const names = tools.map(({ name }) => name)
  if (tool !== "*" && !names.includes(tool)) {
    return `There is no tool "${printable(tool)}". Nearest: ${nearestOrAll(tool, names).join(", ")}.`
  }
  yield* (yield* RunAnswers).addRule({ ...rule.success, source: "/allow" })
  return `Allowed for this session: ${printable(argument)}. Deny rules still apply.`
})

const save = Effect.fnUntraced(function* (argument: string, { conversation, session }: CommandContext) {
  if (argument === "") return "Name a file: /save talk.md."
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { folders, project, settings } = conversation.setup
  const file = path.resolve(argument.replace(/^~(?=\/)/, () => folders.home))
  const shownFile = printable(withoutProject(file, process.cwd()))
  const messages = yield* session.messages
  if (messages.length === 0) return "There is nothing to save yet."
  const elsewhere = yield* leadsOut(process.cwd(), file)
  if (elsewhere !== undefined)
    return `Nothing was written: ${shownFile} leads through a link to ${printable(elsewhere)}.`
  if (yield* fs.exists(file)) {
    const answer = yield* askText(`${shownFile} exists. Overwrite it? y yes, Enter no`)
    if (!/^y(es)?$/i.test(answer)) return "Nothing was written."
  }
  yield* fs.writeFileString(file, conversationMarkdown(messages, { model: settings.model, project }))
  return `Saved to ${shownFile}.`
})

/** A line for each conversation: number, time and title. On a narrow terminal, the title has its own line. */
export const sessionLines = (all: ReadonlyArray<ConversationSummary>, now: Date, columns = usualColumns): string =>
  all
    .map(({ messages, savedAt, title }, index) => {
      const head = `${String(index + 1).padStart(2)}  ${whenText(savedAt, now)}  ${counted(messages, "message")}`
      const lines = columns < 70 ? [head, `    ${title}`] : [`${head}  ${title}`]
      return lines.map((line) => cutText(line, Math.max(columns, 40))).join("\n")
    })
    .join("\n")

const sessions = Effect.fnUntraced(function* (argument: string, { conversation, session }: CommandContext) {
  const place = conversationPlace(conversation.setup)
  if (argument !== "") {
    const found = yield* findConversation(place, argument)
    yield* session.restore(found.messages)
    return `${lastLines(found.messages)}\nThe conversation goes on from here.`
  }
  const saved = yield* keptConversations(place)
  if (saved.length === 0) return "No conversation about this project is kept yet."
  const now = DateTime.toDateUtc(yield* DateTime.now)
  const list = sessionLines(saved.map(summaryOf), now, (yield* Output).screen.columns())
  return `${list}\n/sessions NUMBER goes on with one of them.`
})

const tokensIn = (characters: number): number => Math.ceil(characters / assumedScale.charactersPerToken)

const compact = Effect.fnUntraced(function* ({ session }: CommandContext) {
  if ((yield* session.messages).length === 0) return "There is nothing to shorten yet."
  const { after, before } = yield* session.compact
  return `Shortened from about ${tokensIn(before)} to ${tokensIn(after)} tokens. Your messages and the answers stay.`
})

/** Runs what the user typed after "!", in a shell if it uses shell syntax. */
export const runTyped = Effect.fn("runTyped")(function* (line: string, session: AskSession) {
  const typed = line.trim()
  if (typed === "") return "Write a command after the !: !npm test"
  const words = splitCommand(typed)
  const result = yield* session.command(typeof words === "string" ? ["/bin/sh", "-c", typed] : words, typed)
  if (result.error_type === "permission_denied") return "The command was not run."
  return harmless(resultText(result).trimEnd())
})

const changeModel = Effect.fnUntraced(function* (name: string, { conversation }: CommandContext) {
  const { model } = conversation.setup.settings
  if (name === "") return { text: `The model is ${printable(model)}. /model NAME changes it.` }
  const prepared = yield* Effect.result(conversation.prepareModel(name))
  /* In a conversation, the user types /model instead of --model. */
  if (Result.isFailure(prepared))
    return { text: printableLines(prepared.failure.message.replaceAll("--model ", "/model ")) }
  const next = prepared.success
  return { text: printableLines(next.modelNotes?.join("\n") ?? ""), next } satisfies CommandResult
})

const clearScreen = "\u001b[H\u001b[2J\u001b[3J"

/** Runs a command. A failure becomes its output. */
export const runCommand = Effect.fn("runCommand")(
  function* ({ argument, name }: Extract<SlashCommand, { _tag: "Command" }>, context: CommandContext) {
    if (name === "model") return yield* changeModel(argument, context)
    const text = yield* Effect.gen(function* () {
      switch (name) {
        case "allow":
          return yield* allow(argument)
        case "context":
          return yield* treeLines
        case "diff":
          return yield* diffLines
        case "undo":
          return yield* undo(argument)
        case "help":
          return helpText(context.keys, (yield* Output).screen.columns() ?? usualColumns, context.conversation.commands)
        case "clear":
          if ((yield* Output).screen.canDraw) yield* (yield* Output).prompt(clearScreen)
          return yield* Effect.as(context.session.restore([]), "Started a new conversation. Permissions stay.")
        case "compact":
          return yield* compact(context)
        case "sessions":
          return yield* sessions(argument, context)
        case "new":
          return yield* Effect.as(context.session.restore([]), "Started a new conversation. Permissions stay.")
        case "permissions":
          return yield* permissionLines(context.conversation.setup.rules)
        case "save":
          return yield* save(argument, context)
        case "tasks":
          return yield* taskLines(context.session)
        case "tools":
          return yield* argument === "" ? toolLines(context) : choose(argument, context)
      }
    })
    return { text }
  },
  Effect.catch((failure) => Effect.succeed<CommandResult>({ text: printableLines(failure.message) }))
)
