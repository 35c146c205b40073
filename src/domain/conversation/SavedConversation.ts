/**
 * A conversation outside of the program: as JSON in the state folder, so that it can be continued (what the model would be
 * sent again), and as markdown for a person.
 */
import * as Schema from "effect/Schema"
import { ConversationMessage } from "../models/ConversationMessage.ts"
import { harmless, printable } from "../text/Printable.ts"
import { fitConversation, withoutThinking } from "./Conversation.ts"

export const SavedConversation = Schema.Struct({
  version: Schema.Literal(1),
  /** The id of the conversation. */
  conversation: Schema.String,
  project: Schema.String,
  model: Schema.String,
  /** ISO 8601. */
  saved_at: Schema.String,
  messages: Schema.Array(ConversationMessage)
})
export type SavedConversation = typeof SavedConversation.Type

/** A kept conversation has at most this many characters; the oldest outputs of tools go first. */
const mostCharacters = 2_000_000

/** The messages that are kept: without the thinking of the model, and without outputs that are too much. */
export const messagesToKeep = (messages: ReadonlyArray<ConversationMessage>): ReadonlyArray<ConversationMessage> =>
  fitConversation(withoutThinking(messages), mostCharacters).messages

const callLine = (name: string, given: unknown): string =>
  `- called \`${name}\` with \`${printable(JSON.stringify(given))}\``

const messageParts = (message: ConversationMessage): ReadonlyArray<string> => {
  if (message.role === "user") return ["## You", harmless(message.content.trim())]
  if (message.role === "tool") {
    const { name, result } = message
    return result.success ? [] : [`- \`${name}\` failed: ${printable(result.error_message ?? "")}`]
  }
  const calls = message.calls.map((call) => callLine(call.name, call.arguments)).join("\n")
  return [message.content.trim() === "" && calls !== "" ? "" : "## Answer", harmless(message.content.trim()), calls]
}

/** The whole text of a file. */
export const conversationMarkdown = (
  messages: ReadonlyArray<ConversationMessage>,
  { model, project }: { readonly model: string; readonly project: string }
): string =>
  [
    "# Conversation",
    `With ${printable(model)}, about ${printable(project)}.`,
    ...messages.flatMap(messageParts).filter((part) => part !== "")
  ].join("\n\n") + "\n"
