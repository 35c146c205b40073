/**
 * The state of a conversation: how an answer that was stopped is completed, how the messages are made to fit the context
 * window, and how the conversation ends.
 */
import * as Schema from "effect/Schema"
import {
  type AssistantMessage,
  ConversationMessage,
  messageCharacters,
  type ToolMessage
} from "../models/ConversationMessage.ts"
import type { AskedCall } from "../models/ModelAnswer.ts"
import { cutOutput } from "../models/OutputCut.ts"
import { resultText } from "../models/OutputText.ts"
import type { AskEnding, AskReport } from "../runs/RunReport.ts"
import { cutAt, shares } from "../text/Excerpt.ts"
import { badExit, type ToolResult } from "../tools/ToolCall.ts"
import { harmless, printable } from "../text/Printable.ts"

/** A message of the host in place of an answer of the model. */
export const hostAnswer = (text: string): AssistantMessage => ({
  role: "assistant",
  content: text,
  thinking: "",
  calls: []
})

/** The result of a call that had not ended when the person stopped the answer. */
const stoppedCall = ({ id, name }: AskedCall, now: number): ToolMessage => ({
  role: "tool",
  id,
  name,
  result: {
    success: false,
    data: null,
    error_message: "The person stopped the answer before this call ended. What it has done until then is not known.",
    error_type: "internal_error",
    metadata: { execution_time_ms: 0, data_size_bytes: 0, timestamp: now }
  }
})

/**
 * Completes a conversation whose last answer was stopped: each call without a result gets one, and a message tells the
 * model. `partial` is the text of the answer so far; `now` is in ms since 1970.
 */
export const stopped = (
  messages: ReadonlyArray<ConversationMessage>,
  partial: string,
  now: number
): ReadonlyArray<ConversationMessage> => {
  const last = messages.findLastIndex(({ role }) => role !== "tool")
  const asking = messages[last]
  const words = hostAnswer(`${partial}\n\n(The person stopped this answer.)`.trim())
  if (asking?.role !== "assistant") return [...messages, words]
  const answered = new Map(messages.slice(last + 1).map((one) => [one.role === "tool" ? one.id : "", one]))
  const results = asking.calls.map((call) => answered.get(call.id) ?? stoppedCall(call, now))
  return [...messages.slice(0, last + 1), ...results, words]
}

/** The conversation without the thinking of the model, which is not needed for the next message of the person. */
export const withoutThinking = (messages: ReadonlyArray<ConversationMessage>): ReadonlyArray<ConversationMessage> =>
  messages.map((message) => (message.role === "assistant" ? { ...message, thinking: "" } : message))

/** The calls with unique ids, since a model may use an id twice. */
export const withUniqueIds = (
  calls: ReadonlyArray<AskedCall>,
  messages: ReadonlyArray<ConversationMessage>
): ReadonlyArray<AskedCall> => {
  const used = new Set(messages.flatMap((message) => (message.role === "tool" ? [message.id] : [])))
  return calls.map((call) => {
    let id = call.id
    for (let number = 2; used.has(id); number += 1) id = `${call.id}-${number}`
    used.add(id)
    return { ...call, id }
  })
}

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((all, one) => all + one, 0)

const charactersOf = (messages: ReadonlyArray<ConversationMessage>): number => sum(messages.map(messageCharacters))

/** The message with a note in place of its output. */
const withoutOutput = (message: ToolMessage): ToolMessage => {
  const size = message.result.data === null ? 0 : resultText(message.result).length
  const data = `[This output of ${size} characters is left out to make room. Call ${message.name} again if you still need it.]`
  const short = { ...message, result: { ...message.result, data } }
  return message.result.data !== null && messageCharacters(short) < messageCharacters(message) ? short : message
}

/** The beginning of an error text that quotes too much. */
const shortError = ({ error_message }: ToolResult, limit: number): string => {
  const text = error_message ?? ""
  const note = ` [${text.length} characters; the rest is left out.]`
  return text.length <= note.length + 40 ? text : `${cutAt(text, Math.max(40, limit - note.length - 40))}${note}`
}

/*
 * Calls with long arguments, as the model sees them again once they were made: it wrote them itself, and the results say
 * what came of them.
 */

/** How much of a string, a list and a record is shown, and how deep. */
interface Measure {
  readonly characters: number
  readonly items: number
  readonly depth: number
}

const measures: ReadonlyArray<Measure> = [
  { characters: 1000, items: 50, depth: 6 },
  { characters: 200, items: 10, depth: 3 },
  { characters: 60, items: 4, depth: 1 }
]

const textNote = (text: string, { characters }: Measure): string => {
  const shown = cutAt(text, characters)
  return `${shown} [The first ${shown.length} of ${text.length} characters; the call was made with all of them.]`
}

const shortName = (name: string, { characters }: Measure): string =>
  name.length <= characters ? name : `${cutAt(name, characters)} [a longer name, with which the call was made]`

const shortValue = (value: Schema.Json, measure: Measure): Schema.Json => {
  if (typeof value === "string") return value.length <= measure.characters * 2 ? value : textNote(value, measure)
  if (typeof value !== "object" || value === null) return value
  if (measure.depth === 0) return "[Left out to make room; the call was made with it.]"
  const inner = { ...measure, depth: measure.depth - 1 }
  if (Array.isArray(value)) {
    const left = value.length - measure.items
    const shown = value.slice(0, measure.items).map((one) => shortValue(one, inner))
    return left <= 0 ? shown : [...shown, `[${left} more are left out; the call was made with all of them.]`]
  }
  const entries = Object.entries(value)
  const shown = entries
    .slice(0, measure.items)
    .map(([name, one]): [string, Schema.Json] => [shortName(name, measure), shortValue(one, inner)])
  const left = entries.length - measure.items
  return Object.fromEntries(left <= 0 ? shown : [...shown, ["and", `${left} more, with which the call was made`]])
}

const sizeOf = (calls: ReadonlyArray<AskedCall>): number => JSON.stringify(calls).length

/** The calls with shorter arguments, so that they take about `budget` characters if they can; others stay as they are. */
export const shortCalls = (calls: ReadonlyArray<AskedCall>, budget: number): ReadonlyArray<AskedCall> => {
  let short = calls
  for (const measure of measures) {
    if (sizeOf(short) <= budget) break
    short = calls.map((call) => ({ ...call, arguments: shortValue(call.arguments, measure) }))
  }
  return sizeOf(short) < sizeOf(calls) ? short : calls
}

/** The messages with shorter arguments of calls, oldest first, until they are `over` characters shorter. */
const withShortCalls = (
  messages: ReadonlyArray<ConversationMessage>,
  over: number
): ReadonlyArray<ConversationMessage> => {
  let left = over
  return messages.map((message) => {
    if (left <= 0 || message.role !== "assistant" || message.calls.length === 0) return message
    const size = messageCharacters(message)
    const short = {
      ...message,
      calls: shortCalls(message.calls, Math.max(0, JSON.stringify(message.calls).length - left))
    }
    left -= size - messageCharacters(short)
    return short
  })
}

/** Cuts the outputs so that all messages together take about `budget` characters: short ones stay whole, and the long ones share the rest. */
export const capOutputs = (messages: ReadonlyArray<ToolMessage>, budget: number): ReadonlyArray<ToolMessage> => {
  const limits = shares(messages.map(messageCharacters), budget)
  return messages.map((message, index) => {
    const { id, name, result } = message
    const limit = (limits[index] ?? 0) - name.length - 2
    if (resultText(result).length <= limit) return message
    if (result.data === null) return { ...message, result: { ...result, error_message: shortError(result, limit) } }
    return {
      ...message,
      result: { ...result, data: cutOutput({ call: { uid: id, name, arguments: {} }, result }, limit) }
    }
  })
}

/** A conversation that fits, as far as it can; `leftOut` names the tools whose outputs had to go. */
interface FittedConversation {
  readonly messages: ReadonlyArray<ConversationMessage>
  readonly leftOut: ReadonlyArray<string>
}

/**
 * Fits a conversation into `limit` characters: outputs are left out, oldest first, except those that the model has not
 * seen; those share the rest. When that is not enough, thinking is removed, too, and the arguments of calls are shortened. The
 * result may still be too large. The messages of the person are never shortened.
 */
export const fitConversation = (messages: ReadonlyArray<ConversationMessage>, limit: number): FittedConversation => {
  const unseen = messages.findLastIndex(({ role }) => role !== "tool") + 1
  const names: Array<string> = []
  let over = charactersOf(messages) - limit
  const older = messages.slice(0, unseen).map((message) => {
    if (over <= 0 || message.role !== "tool") return message
    const short = withoutOutput(message)
    if (short === message) return message
    over -= messageCharacters(message) - messageCharacters(short)
    names.push(message.name)
    return short
  })
  const newest = messages.slice(unseen).flatMap((message) => (message.role === "tool" ? [message] : []))
  if (over <= 0) return { messages: [...older, ...newest], leftOut: names }
  const thoughtless = withoutThinking(older)
  /* The newest outputs may take half of the budget before calls are shortened for them. */
  const needed = Math.min(charactersOf(newest), Math.floor(limit / 2))
  const short = withShortCalls(thoughtless, charactersOf(thoughtless) + needed - limit)
  return {
    messages: [...short, ...capOutputs(newest, Math.max(0, limit - charactersOf(short)))],
    leftOut: names
  }
}

/** A message without text. */
export const emptyMessage: AskEnding = {
  status: "failed",
  answer: "",
  reason: "The message is empty. Say what is to be done."
}

/** How a conversation ends that was not interrupted. An answer that the person stopped is not a failure. */
export const conversationEnding = (reports: ReadonlyArray<AskReport>, denied: ReadonlyArray<string>): AskEnding => {
  const last = reports.at(-1)
  const isDone = last === undefined || last.status === "done" || last.status === "interrupted"
  if (!isDone) return last
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
    const exit = badExit(result)
    if (result.success) return exit === undefined ? [] : [`- \`${name}\` ended: ${exit}`]
    return [`- \`${name}\` failed: ${printable(result.error_message ?? "")}`]
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
