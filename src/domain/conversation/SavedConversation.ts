/**
 * A conversation as it is kept, so that it can be continued: what the model would be sent again.
 */
import * as Schema from "effect/Schema"
import { fitConversation, withoutThinking } from "./Conversation.ts"
import { ConversationMessage } from "../models/ConversationMessage.ts"

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
