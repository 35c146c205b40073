/**
 * Functions on the messages of a conversation. They complete a stopped answer, compact a long conversation, and tell
 * how a conversation ended.
 */
import * as Schema from "effect/Schema"
import {
  type AssistantMessage,
  ConversationMessage,
  fromHost,
  isFromUser,
  messageCharacters,
  type ToolMessage,
  type UserMessage
} from "../models/ConversationMessage.ts"
import type { AskedCall } from "../models/ModelAnswer.ts"
import type { AskEnding, AskReport } from "../runs/RunReport.ts"
import { shares, shorten } from "../text/Excerpt.ts"
import { harmless, printable } from "../text/Printable.ts"
import { badExit, notMeasured, type ToolResult } from "../tools/ToolCall.ts"
import { fencedBlock } from "../markdown/PromptBlock.ts"
import { resultText } from "../models/OutputText.ts"
import { readMessageTurn } from "./MessageTurn.ts"

/** A message of the program in place of a model's answer. */
export const hostAnswer = (text: string): AssistantMessage => ({
  role: "assistant",
  content: text,
  thinking: "",
  calls: []
})

const notKnown =
  "The user stopped the answer before this call ended. Its effects until then are unknown, and its file changes may be missing."

/** The result of a call that was still running when the user stopped the answer. */
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
 * Completes a conversation after the user stopped the last answer. Each call gets a result, and a message tells the
 * model about the stop. `partial` is the text so far.
 */
export const stopped = (
  messages: ReadonlyArray<ConversationMessage>,
  partial: string
): ReadonlyArray<ConversationMessage> => {
  const last = messages.at(-1)
  const words = hostAnswer(`${partial}\n\n(The user stopped this answer.)`.trim())
  if (last?.role !== "assistant") return [...messages, words]
  const replies = last.calls.length > 0 ? last.calls.map(stoppedCall) : [fromHost(notKnown)]
  return [...messages, ...replies, words]
}

export const answeredWith = (
  messages: ReadonlyArray<ConversationMessage>,
  text: string
): ReadonlyArray<ConversationMessage> => {
  const last = messages.at(-1)
  const isAnswer = last?.role === "assistant" && last.calls.length === 0
  return [...(isAnswer ? messages.slice(0, -1) : messages), hostAnswer(text)]
}

/**
 * The compacted messages of a long conversation. The user's messages stay word for word. The answers share `budget`
 * characters. The `summary`, which holds the facts that the program knows, comes last.
 */
export const compactedMessages = (
  messages: ReadonlyArray<ConversationMessage>,
  summary: string,
  budget: number
): ReadonlyArray<ConversationMessage> => {
  const kept = messages.filter(
    (message, index) =>
      isFromUser(message) ||
      (message.role === "assistant" && messages[index + 1] !== undefined && isFromUser(messages[index + 1]!))
  )
  const limits = shares(
    kept.map((message) => (message.role === "assistant" ? message.content.length : 0)),
    budget
  )
  const shortened = kept.map((message, index) =>
    message.role === "assistant" ? hostAnswer(shorten(message.content, limits[index] ?? 0)) : message
  )
  return summary === "" ? shortened : [...shortened, fromHost(summary)]
}

export const emptyMessage: AskEnding = {
  status: "failed",
  answer: "",
  reason: "The message is empty. Say what is to be done."
}

/**
 * How a conversation ended if nobody interrupted it. An answer that the user stopped is no failure. `denials` are the
 * changes and commands that were denied.
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

/** A saved conversation, as a list of conversations shows it. */
export interface ConversationSummary {
  /** The id of the conversation. */
  readonly id: string
  /** The beginning of the first message. */
  readonly title: string
  /** The name of the model. */
  readonly model: string
  /** The time of saving in the format of ISO 8601. */
  readonly savedAt: string
  /** The number of messages that the user wrote. */
  readonly messages: number
  /** The last message of the user, and the end of the answer to it. */
  readonly end: string
}

export const SavedConversation = Schema.Struct({
  version: Schema.Literal(1),
  conversation: Schema.String,
  project: Schema.String,
  model: Schema.String,
  /** The time of saving in the format of ISO 8601. */
  saved_at: Schema.String,
  messages: Schema.Array(ConversationMessage)
})
export type SavedConversation = typeof SavedConversation.Type

export const summaryOf = ({
  conversation,
  messages,
  model,
  saved_at: savedAt
}: SavedConversation): ConversationSummary => ({
  id: conversation,
  title: titleOf(messages),
  model,
  savedAt,
  messages: messages.filter(isFromUser).length,
  end: lastLines(messages)
})

/** The maximum number of characters of a saved conversation, approximately. */
const mostCharacters = 2_000_000

/** Removes the images in results of calls. The model saw them only while it answered. */
export const withoutResultImages = (messages: ReadonlyArray<ConversationMessage>): ReadonlyArray<ConversationMessage> =>
  messages.map((message) => {
    if (message.role !== "user" || message.from === undefined || message.pictures === undefined) return message
    const { pictures: _, ...others } = message
    return others
  })

/** The messages to save: without images and thoughts, and compacted if too long. */
export const messagesToKeep = (messages: ReadonlyArray<ConversationMessage>): ReadonlyArray<ConversationMessage> => {
  const thoughtless = messages.map((message): ConversationMessage => {
    if (message.role === "assistant") return { ...message, thinking: "" }
    if (message.role !== "user" || message.pictures === undefined) return message
    const { pictures, ...others } = message
    const names = pictures.map(({ path }) => path).join(", ")
    return { ...others, content: `${others.content}\n\n(The pictures ${names} were shown with this message.)` }
  })
  const size = thoughtless.reduce((sum, message) => sum + messageCharacters(message), 0)
  return size <= mostCharacters
    ? thoughtless
    : [...compactedMessages(thoughtless, "", mostCharacters), ...thoughtless.slice(-1)]
}

/** The message to the model about a command that the user ran. */
export const commandMessage = (typed: string, result: ToolResult): UserMessage =>
  fromHost(`The user ran \`${typed}\` in the project:\n\n${fencedBlock("## Output", resultText(result), "text")}`)

const saidBy = ({ content, said = content }: UserMessage): string => said

/** The first line of the user's first message, as the title of a conversation. */
const titleOf = (messages: ReadonlyArray<ConversationMessage>): string => {
  const first = messages.find(isFromUser)
  const [line = ""] = first?.role === "user" ? saidBy(first).trim().split("\n") : []
  return printable(line)
}

/** The maximum number of shown lines: of the user's last message, and of the answer to it. */
const [mostSaid, mostAnswer] = [3, 6]

/** The end of a conversation, for a user who continues it. */
export const lastLines = (messages: ReadonlyArray<ConversationMessage>): string => {
  const last = messages.findLast(isFromUser)
  const answer = messages.findLast(({ role }) => role === "assistant")
  const prompt = last?.role === "user" ? saidBy(last).trim().split("\n") : []
  const answered = (answer?.role === "assistant" ? answer.content : "").trim().split("\n")
  const cut = answered.length > mostAnswer ? ["...", ...answered.slice(-mostAnswer)] : answered
  const lines = [
    ...prompt.slice(0, mostSaid).map((line) => `> ${line}`),
    ...(prompt.length > mostSaid ? ["> ..."] : []),
    ...cut
  ]
  return lines.map(printable).join("\n")
}
const callLine = (name: string, given: unknown): string =>
  `- called \`${name}\` with \`${printable(JSON.stringify(given))}\``

const messageParts = (message: ConversationMessage): ReadonlyArray<string> => {
  if (message.role === "user") {
    return message.from === "host" ? [] : ["## You", harmless(saidBy(message).trim())]
  }
  if (message.role === "tool") {
    const { name, result } = message
    const exit = badExit(result)
    if (result.success) return exit === undefined ? [] : [`- \`${name}\` ended: ${exit}`]
    return [`- \`${name}\` failed: ${printable(result.error_message ?? "")}`]
  }
  const { calls: written, changes, report } = readMessageTurn(message.content, { tools: new Set(), mayChange: true })
  const actions = [
    ...[...written, ...message.calls].map((call) => callLine(call.name, call.arguments)),
    ...changes.map((change) => ("path" in change ? `- changed \`${printable(change.path)}\`` : "- replaced a text"))
  ]
  return actions.length > 0 ? [actions.join("\n")] : ["## Answer", harmless((report ?? message.content).trim())]
}

/** The conversation as the text of a markdown file. */
export const conversationMarkdown = (
  messages: ReadonlyArray<ConversationMessage>,
  { model, project }: { readonly model: string; readonly project: string }
): string =>
  [
    "# Conversation",
    `With ${printable(model)}, about ${printable(project)}.`,
    ...messages.flatMap(messageParts).filter((part) => part !== "")
  ].join("\n\n") + "\n"
