/**
 * Conversations as those who hold them see them: what is asked for, and what can be done while one is open.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { Attachment } from "../../domain/models/Briefing.ts"
import type { ConversationMessage } from "../../domain/models/ConversationMessage.ts"
import type { AskReport, RunReport } from "../../domain/runs/RunReport.ts"
import type { CommandLine } from "../../domain/commands/CommandText.ts"
import type { Arguments, ToolInfo, ToolResult } from "../../domain/tools/ToolCall.ts"
import type { NoToolSupport } from "../models/ToolSupport.ts"
import type { BriefingError } from "../pipeline/Briefer.ts"

export interface AskOrder {
  readonly runId: string
  /** The first message, when it is known already. */
  readonly prompt: string
  /** The file the person is looking at; the model sees it with the first message. */
  readonly currentFile?: string
  /** Files that are open in the person's editor; the model sees their paths with the first message. */
  readonly openFiles?: ReadonlyArray<string>
  /** What belongs to the first message. */
  readonly attachment?: Attachment
  /** Pictures that belong to the first message, by their paths. */
  readonly images?: ReadonlyArray<string>
  /** The JSON schema that each answer has to fit. */
  readonly outputSchema?: Schema.Json
  /** The names of the tools that the model may call; all when absent. */
  readonly tools?: ReadonlyArray<string>
  /** A check that fails, or that the person named and that proves nothing, does not keep an answer from being done. */
  readonly acceptUnverified?: boolean | undefined
  /** What was said before, in a conversation that goes on. */
  readonly messages?: ReadonlyArray<ConversationMessage>
}

export interface AskSession {
  /**
   * Answers one message; one at a time. The report says how it ended. `listen` receives the text while it is written;
   * interruption stops the answer and leaves the conversation usable. Files that the message names as `@path` are sent with it;
   * `typed` is what the person typed, where the message was made from that: then only what it names.
   */
  readonly send: (text: string, listen?: (delta: string) => void, typed?: string) => Effect.Effect<AskReport>
  /** All messages so far, without the system prompt. */
  readonly messages: Effect.Effect<ReadonlyArray<ConversationMessage>>
  /** Puts these messages in the place of all others. What was allowed for the session stays allowed. */
  readonly restore: (messages: ReadonlyArray<ConversationMessage>) => Effect.Effect<void>
  /** Folds the conversation as it is when it becomes too long; gives the characters before and after. */
  readonly compact: Effect.Effect<{ readonly before: number; readonly after: number }>
  /** Calls a tool for the user, as the model would; the model does not see it. */
  readonly call: (name: string, args: Arguments) => Effect.Effect<ToolResult>
  /** Runs a command that the person typed, with its permission; the model sees it and its output with the next message. */
  readonly command: (argv: CommandLine, typed: string) => Effect.Effect<ToolResult>
  /** The tools that the model may call. */
  readonly tools: Effect.Effect<ReadonlyArray<ToolInfo>>
  /** Offers these tools from the next message on; all when nothing is given. */
  readonly offer: (names: ReadonlyArray<string> | undefined) => Effect.Effect<void, UnknownTool>
}

/** Names among the tools of a conversation that no tool has. */
export class UnknownTool extends Schema.TaggedError<UnknownTool>()("UnknownTool", {
  tools: Schema.Array(Schema.String),
  nearest: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const names = this.tools.map((name) => JSON.stringify(name)).join(", ")
    return `There is no tool ${names}. Nearest: ${this.nearest.join(", ")}. "task-conductor tools list" lists all.`
  }
}

export class Asker extends Context.Service<
  Asker,
  {
    /**
     * Opens a conversation for `use`, and ends it with the last event. Its report has the status and the answer of the last
     * message; a denial makes it `not_permitted`, but not that of a read without which the message was answered. Fails, before any event, when the model cannot call tools, a tool
     * does not exist, or the current file cannot be read.
     */
    hold<E, R>(
      order: AskOrder,
      use: (session: AskSession) => Effect.Effect<void, E, R>
    ): Effect.Effect<RunReport, BriefingError | NoToolSupport | UnknownTool | E, R>
  }
>()("task-conductor/services/conversation/Asker") {}
