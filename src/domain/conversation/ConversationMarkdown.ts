/**
 * A conversation as markdown, for a person who keeps it: what was said, and which tools were called.
 */
import { harmless, printable } from "../text/Printable.ts"
import type { ConversationMessage } from "../models/ConversationMessage.ts"

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
