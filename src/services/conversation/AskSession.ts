/** An open conversation, as callers use it. */
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import { commandMessage, compactedMessages } from "../../domain/conversation/Conversation.ts"
import { type ConversationMessage, messageCharacters } from "../../domain/models/ConversationMessage.ts"
import { charactersIn } from "../../domain/models/PromptSize.ts"
import { askTask } from "../../domain/runs/ActivityKey.ts"
import { nearestOrAll } from "../../domain/text/Nearest.ts"
import type { CommandLine } from "../../domain/commands/CommandText.ts"
import type { Arguments, ToolInfo, ToolResult } from "../../domain/tools/ToolCall.ts"
import { ProjectWriteLock } from "../files/ProjectWriteLock.ts"
import { ReadTexts } from "../permissions/ReadTexts.ts"
import { noteMessages } from "./EarlierMessages.ts"
import { RunSettings } from "../runs/RunSettings.ts"
import { ToolRegistry } from "../tools/ToolRegistry.ts"
import { ToolRunner } from "../tools/ToolRunner.ts"
import * as Schema from "effect/Schema"
import { makeSend, type OpenConversation, type SendMessage } from "./SendMessage.ts"

export interface AskSession {
  readonly send: SendMessage
  /** All messages so far, without the system prompt. */
  readonly messages: Effect.Effect<ReadonlyArray<ConversationMessage>>
  /** Replaces all messages. Permissions for the session remain. */
  readonly restore: (messages: ReadonlyArray<ConversationMessage>) => Effect.Effect<void>
  /** Compacts the conversation as if it were too long. Returns its size before and after, in characters. */
  readonly compact: Effect.Effect<{ readonly before: number; readonly after: number }>
  /** Calls a tool for the user, as the model would call it. The model does not see the call. */
  readonly call: (name: string, args: Arguments) => Effect.Effect<ToolResult>
  /** Runs a command that the user typed. The model sees the command and its output with the next message. */
  readonly command: (argv: CommandLine, typed: string) => Effect.Effect<ToolResult>
  /** The tools that the model may call. */
  readonly tools: Effect.Effect<ReadonlyArray<ToolInfo>>
  /** Offers only these tools, from the next message on. Undefined offers all tools. */
  readonly offer: (names: ReadonlyArray<string> | undefined) => Effect.Effect<void, UnknownTool>
}

/** Says that requested tools do not exist, and names them. */
export class UnknownTool extends Schema.TaggedError<UnknownTool>()("UnknownTool", {
  tools: Schema.Array(Schema.String),
  nearest: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const names = this.tools.map((name) => JSON.stringify(name)).join(", ")
    return `There is no tool ${names}. Nearest: ${this.nearest.join(", ")}. "task-conductor tools list" lists all.`
  }
}

/** The tools with these names, in the order of all tools. Undefined selects all tools. */
export const chosenTools = ({ tools }: Pick<ToolRegistry["Service"], "tools">) =>
  Effect.fnUntraced(function* (
    names: ReadonlyArray<string> | undefined
  ): Effect.fn.Return<ReadonlyArray<ToolInfo>, UnknownTool> {
    if (names === undefined) return tools
    const all = tools.map(({ name }) => name)
    const unknown = names.filter((name) => !all.includes(name))
    if (unknown.length > 0) {
      const near = [...new Set(unknown.flatMap((name) => nearestOrAll(name, all)))]
      return yield* new UnknownTool({ tools: unknown, nearest: near })
    }
    return tools.filter(({ name }) => names.includes(name))
  })

const size = (messages: ReadonlyArray<ConversationMessage>): number =>
  messages.reduce((sum, message) => sum + messageCharacters(message), 0)

export const makeOpenSession = Effect.gen(function* () {
  const lock = yield* ProjectWriteLock
  const readTexts = yield* ReadTexts
  const sendTo = yield* makeSend
  const { contextWindow } = yield* RunSettings
  const toolRunner = yield* ToolRunner
  const chosen = chosenTools(yield* ToolRegistry)

  return (held: OpenConversation): AskSession => {
    const { memory, tools } = held
    let typedCalls = 0

    const call = Effect.fn("AskSession.call")(function* (name: string, args: Arguments) {
      typedCalls += 1
      const uid = `typed-${typedCalls}`
      return yield* toolRunner.run({ round: 0, task: askTask, uid }, { uid, name, arguments: args }, "project").pipe(
        Effect.catchTag("TooManyDenials", (denied) => Effect.succeed(denied.result)),
        Effect.ensuring(lock.release)
      )
    })

    const command = Effect.fn("AskSession.command")(function* (argv: CommandLine, typed: string) {
      const result = yield* call("run_command", { argv })
      yield* Ref.update(memory, (now) => ({ ...now, messages: [...now.messages, commandMessage(typed, result)] }))
      return result
    })

    const compact = Effect.gen(function* () {
      const before = yield* Ref.get(memory)
      const compactedTurns = compactedMessages(before.messages, "", Math.floor(charactersIn(contextWindow) / 4))
      /** The last answer is kept, because the user continues from it. */
      const last = before.messages.at(-1)
      const kept = last?.role === "assistant" ? [...compactedTurns, last] : compactedTurns
      yield* Ref.set(memory, { ...before, messages: kept, isCompacted: true })
      return { before: size(before.messages), after: size(kept) }
    })

    return {
      send: sendTo(held),
      messages: Effect.map(Ref.get(memory), ({ messages }) => messages),
      call,
      command,
      compact,
      restore: Effect.fnUntraced(function* (messages) {
        yield* noteMessages(readTexts, messages)
        yield* Ref.set(memory, { messages, outcomes: [], isCompacted: messages.length > 0 })
      }),
      tools: Ref.get(tools),
      offer: (names) => Effect.flatMap(chosen(names), (offered) => Ref.set(tools, offered))
    }
  }
})
