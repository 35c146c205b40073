/**
 * Carries out the commands of a conversation.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import type { ConversationWorld, NextModel } from "../../app/conversation.ts"
import { conversationMarkdown } from "../../domain/conversation/SavedConversation.ts"
import { parseRule, type Rule } from "../../domain/permissions/Permission.ts"
import { concernsProject } from "../../domain/permissions/PolicyFormat.ts"
import { askTask } from "../../domain/runs/ActivityKey.ts"
import { nearestOrAll } from "../../domain/text/Nearest.ts"
import { withoutProject } from "../../domain/text/ShortPaths.ts"
import { printable, printableLines } from "../../domain/text/Printable.ts"
import { askText } from "../../services/approvals/TerminalQuestion.ts"
import type { AskSession } from "../../services/conversation/Asker.ts"
import { Workspace } from "../../services/files/Workspace.ts"
import { Gate } from "../../services/permissions/Gate.ts"
import { Policies } from "../../services/permissions/Policies.ts"
import { ToolRegistry } from "../../services/tools/ToolRegistry.ts"
import { Output } from "../terminal/Output.ts"
import { helpText, type SlashCommand } from "./slashCommands.ts"
import { chooseTools } from "./toolChoice.ts"

/** For a terminal that does not tell its size. */
const usualColumns = 80

/** What a command says, and the model with which the conversation goes on. */
export interface Carried {
  readonly said: string
  readonly next?: NextModel
}

/** What commands are about. */
export interface CommandScene {
  readonly session: AskSession
  readonly world: ConversationWorld
  readonly lineBreak: string
}

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

const permissionLines = Effect.fnUntraced(function* (given: ReadonlyArray<Rule>) {
  const gate = yield* Gate
  const granted = yield* gate.sessionGrants
  const added = yield* gate.addedRules
  const { root } = yield* Workspace
  const remembered = (yield* (yield* Policies).rules).filter((rule) => concernsProject(rule, root))
  const lines = [
    ...section("For this session:", [...added.map(ruleLine), ...granted.map((covers) => `allow ${printable(covers)}`)]),
    ...section("Remembered:", remembered.map(ruleLine)),
    ...section("From flags and configuration:", given.map(ruleLine))
  ]
  return lines.length === 0 ? "No rules yet. Anything that is not safe asks first." : lines.join("\n")
})

const toolLines = Effect.fnUntraced(function* ({ session }: CommandScene) {
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

const choose = Effect.fnUntraced(function* (argument: string, { session }: CommandScene) {
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
  yield* (yield* Gate).addRule({ ...rule.success, source: "/allow" })
  return `Allowed for this session: ${printable(argument)}. Deny rules still apply.`
})

const save = Effect.fnUntraced(function* (argument: string, { session, world }: CommandScene) {
  if (argument === "") return "Name a file: /save talk.md."
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { folders, project, settings } = world.setup
  const file = path.resolve(argument.replace(/^~(?=\/)/, () => folders.home))
  const shownFile = printable(withoutProject(file, process.cwd()))
  const messages = yield* session.messages
  if (messages.length === 0) return "There is nothing to save yet."
  if (yield* fs.exists(file)) {
    const answer = yield* askText(`${shownFile} exists. Overwrite it? y yes, Enter no`)
    if (!/^y(es)?$/i.test(answer)) return "Nothing was written."
  }
  yield* fs.writeFileString(file, conversationMarkdown(messages, { model: settings.model, project }))
  return `Saved to ${shownFile}.`
})

const changeModel = Effect.fnUntraced(function* (name: string, { world }: CommandScene) {
  const { model } = world.setup.settings
  if (name === "") return { said: `The model is ${printable(model)}. /model NAME changes it.` }
  const found = yield* Effect.result(world.prepareModel(name))
  /* Here a model is chosen with the command, not with a flag. */
  if (Result.isFailure(found)) return { said: printableLines(found.failure.message.replaceAll("--model ", "/model ")) }
  const next = found.success
  return { said: printableLines(next.fitted.modelNotes?.join("\n") ?? ""), next } satisfies Carried
})

const said = <E, R>(text: Effect.Effect<string, E, R>) => Effect.map(text, (one): Carried => ({ said: one }))

/** What a command shows and does; an error is what it says. */
export const runCommand = Effect.fn("runCommand")(
  function* ({ argument, name }: Extract<SlashCommand, { _tag: "Command" }>, scene: CommandScene) {
    switch (name) {
      case "allow":
        return yield* said(allow(argument))
      case "context":
        return yield* said(treeLines)
      case "help":
        return { said: helpText(scene.lineBreak, (yield* Output).screen.columns() ?? usualColumns) }
      case "model":
        return yield* changeModel(argument, scene)
      case "new":
        return { said: yield* Effect.as(scene.session.forget, "Started a new conversation. Permissions stay.") }
      case "permissions":
        return yield* said(permissionLines(scene.world.setup.rules))
      case "save":
        return yield* said(save(argument, scene))
      case "tasks":
        return yield* said(taskLines)
      case "tools":
        return yield* said(argument === "" ? toolLines(scene) : choose(argument, scene))
    }
  },
  Effect.catch((failure) => Effect.succeed<Carried>({ said: printableLines(failure.message) }))
)
