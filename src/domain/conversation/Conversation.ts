/**
 * What is said in a conversation between a person, a model and its tools, as `ask` keeps it and sends it again with each
 * call of the model.
 */
import * as Schema from "effect/Schema"
import { AskedCall } from "../models/ModelAnswer.ts"
import { ToolResult } from "../tools/ToolCall.ts"

/** What the person wrote, with what the host adds to the first message. */
const UserMessage = Schema.Struct({ role: Schema.Literal("user"), content: Schema.String })
type UserMessage = typeof UserMessage.Type

/** What the model said; `thinking` is kept until the message it belongs to is answered. */
const AssistantMessage = Schema.Struct({
  role: Schema.Literal("assistant"),
  content: Schema.String,
  thinking: Schema.String,
  calls: Schema.Array(AskedCall)
})
type AssistantMessage = typeof AssistantMessage.Type

/** The one answer to a call: the envelope, which is sent as JSON. `id` and `name` are those of the call. */
export const ToolMessage = Schema.Struct({
  role: Schema.Literal("tool"),
  id: Schema.String,
  name: Schema.String,
  result: ToolResult
})
export type ToolMessage = typeof ToolMessage.Type

export const ConversationMessage = Schema.Union([UserMessage, AssistantMessage, ToolMessage])
export type ConversationMessage = typeof ConversationMessage.Type

/** Words of the host in the place of the model, where no answer came. */
export const hostWords = (text: string): AssistantMessage => ({
  role: "assistant",
  content: text,
  thinking: "",
  calls: []
})

/** What the host asks for when no more calls may be made; it is sent once and not kept. */
export const lastRequest: UserMessage = {
  role: "user",
  content:
    "[From task-conductor, not from the person: the limit of tool calls for this message is reached, and no tool can be called any more. Answer the message now with what you have seen, and say what is still open.]"
}

/** The result of a call that was running, or waiting for its turn, when the person stopped the answer. */
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
 * A conversation whose last answer was stopped, made whole: each call that has no result gets one, and the model is told.
 * `heard` is what it had said until then; `now` in ms since 1970.
 */
export const stopped = (
  messages: ReadonlyArray<ConversationMessage>,
  heard: string,
  now: number
): ReadonlyArray<ConversationMessage> => {
  const last = messages.findLastIndex(({ role }) => role !== "tool")
  const asking = messages[last]
  const words = hostWords(`${heard}\n\n(The person stopped this answer.)`.trim())
  if (asking?.role !== "assistant") return [...messages, words]
  const answered = new Map(messages.slice(last + 1).map((one) => [one.role === "tool" ? one.id : "", one]))
  const results = asking.calls.map((call) => answered.get(call.id) ?? stoppedCall(call, now))
  return [...messages.slice(0, last + 1), ...results, words]
}

/** The conversation without what the model thought: before the next message of the person nobody needs it any more. */
export const withoutThinking = (messages: ReadonlyArray<ConversationMessage>): ReadonlyArray<ConversationMessage> =>
  messages.map((message) => (message.role === "assistant" ? { ...message, thinking: "" } : message))

/** Calls whose ids are unlike each other and unlike all before; a model may give the same id twice. */
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
