/**
 * The state of a conversation: how an answer that was stopped is completed, what of a long conversation stays, and how the
 * conversation ends.
 */
import * as Schema from "effect/Schema"
import {
  type AssistantMessage,
  ConversationMessage,
  fromHost,
  isFromPerson,
  messageCharacters,
  type ToolMessage
} from "../models/ConversationMessage.ts"
import type { AskedCall } from "../models/ModelAnswer.ts"
import type { AskEnding, AskReport } from "../runs/RunReport.ts"
import { shares, shorten } from "../text/Excerpt.ts"
import { harmless, printable } from "../text/Printable.ts"
import { badExit, notMeasured } from "../tools/ToolCall.ts"
import { readMessageTurn } from "./MessageTurn.ts"

/** A message of the host in place of an answer of the model. */
export const hostAnswer = (text: string): AssistantMessage => ({
  role: "assistant",
  content: text,
  thinking: "",
  calls: []
})

const notKnown =
  "The person stopped the answer before this call ended. What it has done until then is not known, and changes of files may not have been made."

/** The result of a call that had not ended when the person stopped the answer. */
const stoppedCall = ({ id, name }: AskedCall): ToolMessage => ({
  role: "tool",
  id,
  name,
  result: {
    success: false,
    data: null,
    error_message: notKnown,
    error_type: "internal_error",
    metadata: notMeasured
  }
})

/**
 * Completes a conversation whose last answer was stopped, so that each answer has its reply, and a message tells the model.
 * `partial` is the text of the answer so far.
 */
export const stopped = (
  messages: ReadonlyArray<ConversationMessage>,
  partial: string
): ReadonlyArray<ConversationMessage> => {
  const last = messages.at(-1)
  const words = hostAnswer(`${partial}\n\n(The person stopped this answer.)`.trim())
  if (last?.role !== "assistant") return [...messages, words]
  const replies = last.calls.length > 0 ? last.calls.map(stoppedCall) : [fromHost(notKnown)]
  return [...messages, ...replies, words]
}

/** The conversation with `text` as its last answer. */
export const answeredWith = (
  messages: ReadonlyArray<ConversationMessage>,
  text: string
): ReadonlyArray<ConversationMessage> => {
  const last = messages.at(-1)
  const isAnswer = last?.role === "assistant" && last.calls.length === 0
  return [...(isAnswer ? messages.slice(0, -1) : messages), hostAnswer(text)]
}

/**
 * What stays of a conversation that has become too long: the messages of the person, word for word, and the answers to them,
 * which share `budget` characters; then what the host knows.
 */
export const foldedMessages = (
  messages: ReadonlyArray<ConversationMessage>,
  known: string,
  budget: number
): ReadonlyArray<ConversationMessage> => {
  const kept = messages.filter(
    (message, index) =>
      isFromPerson(message) ||
      (message.role === "assistant" && messages[index + 1] !== undefined && isFromPerson(messages[index + 1]!))
  )
  const limits = shares(
    kept.map((message) => (message.role === "assistant" ? message.content.length : 0)),
    budget
  )
  const shown = kept.map((message, index) =>
    message.role === "assistant" ? hostAnswer(shorten(message.content, limits[index] ?? 0)) : message
  )
  return known === "" ? shown : [...shown, fromHost(known)]
}

/** A message without text. */
export const emptyMessage: AskEnding = {
  status: "failed",
  answer: "",
  reason: "The message is empty. Say what is to be done."
}

/**
 * How a conversation ends that was not interrupted. An answer that the person stopped is not a failure. `denials` are the
 * changes and commands that were denied in it.
 */
export const conversationEnding = (
  reports: ReadonlyArray<AskReport>,
  denials: ReadonlyArray<{ readonly message: string }>
): AskEnding => {
  const last = reports.at(-1)
  const isDone = last === undefined || last.status === "done" || last.status === "interrupted"
  if (!isDone) return last
  const refused = reports.flatMap(({ reason, status }) => (status === "not_permitted" ? reason.split("\n") : []))
  const denied = [...new Set([...denials.map(({ message }) => message), ...refused])]
  return { status: denied.length > 0 ? "not_permitted" : "done", answer: last?.answer ?? "", reason: denied.join("\n") }
}

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

/** A kept conversation has at most about this many characters. */
const mostCharacters = 2_000_000

/** The messages that are kept: without the thinking of the model, and folded when they are too much. */
export const messagesToKeep = (messages: ReadonlyArray<ConversationMessage>): ReadonlyArray<ConversationMessage> => {
  const thoughtless = messages.map((message) => (message.role === "assistant" ? { ...message, thinking: "" } : message))
  const size = thoughtless.reduce((sum, message) => sum + messageCharacters(message), 0)
  return size <= mostCharacters
    ? thoughtless
    : [...foldedMessages(thoughtless, "", mostCharacters), ...thoughtless.slice(-1)]
}

const callLine = (name: string, given: unknown): string =>
  `- called \`${name}\` with \`${printable(JSON.stringify(given))}\``

const messageParts = (message: ConversationMessage): ReadonlyArray<string> => {
  if (message.role === "user") {
    return message.from === "host" ? [] : ["## You", harmless(message.content.trim())]
  }
  if (message.role === "tool") {
    const { name, result } = message
    const exit = badExit(result)
    if (result.success) return exit === undefined ? [] : [`- \`${name}\` ended: ${exit}`]
    return [`- \`${name}\` failed: ${printable(result.error_message ?? "")}`]
  }
  const { calls: written, changes, report } = readMessageTurn(message.content, { tools: new Set(), mayChange: true })
  const asked = [
    ...[...written, ...message.calls].map((call) => callLine(call.name, call.arguments)),
    ...changes.map((change) => ("path" in change ? `- changed \`${printable(change.path)}\`` : "- replaced a text"))
  ]
  return asked.length > 0 ? [asked.join("\n")] : ["## Answer", harmless((report ?? message.content).trim())]
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
