import * as Effect from "effect/Effect"
import { type ConversationMessage, messageText } from "../../domain/models/ConversationMessage.ts"
import type { ReadTexts } from "../permissions/ReadTexts.ts"

/** Tells the gate, for each message of a continued conversation, whether the user wrote it or the model read it. */
export const noteMessages = (
  { noteRead, noteSaid }: ReadTexts["Service"],
  messages: ReadonlyArray<ConversationMessage>
) =>
  Effect.forEach(messages, (message) => {
    if (message.role === "assistant") return Effect.void
    if (message.role === "user" && message.said !== undefined) return noteSaid(message.said)
    return noteRead(messageText(message), message.role === "tool" && message.name === "fetch_url" ? "page" : "command")
  })
