/** The messages among a user, a model and its tools. Each call sends all these messages to the model. */
import * as Schema from "effect/Schema"
import { type ToolInfo, ToolResult } from "../tools/ToolCall.ts"
import { AskedCall } from "./ModelAnswer.ts"
import { resultText } from "./OutputText.ts"
import { addParts, type FilledPrompt } from "./PromptSize.ts"
import { compactSchema } from "./ToolText.ts"

/** An image in a message, with its bytes in base64. */
const Picture = Schema.Struct({ path: Schema.String, mediaType: Schema.String, data: Schema.String })
export type Picture = typeof Picture.Type

/**
 * A message of the user, or a reply of the program. If `content` also holds facts of the program, `said` is the text
 * that the user typed.
 */
const UserMessage = Schema.Struct({
  role: Schema.Literal("user"),
  content: Schema.String,
  said: Schema.optionalKey(Schema.String),
  pictures: Schema.optionalKey(Schema.Array(Picture)),
  from: Schema.optionalKey(Schema.Literal("host"))
})
export type UserMessage = typeof UserMessage.Type

/** A message of the program, sent in the role of the user. `pictures` are from results of calls. */
export const fromHost = (content: string, pictures: ReadonlyArray<Picture> = []): UserMessage => ({
  role: "user",
  content,
  from: "host",
  ...(pictures.length > 0 && { pictures })
})

export const isFromUser = (message: ConversationMessage): boolean =>
  message.role === "user" && message.from === undefined

/** An answer of the model. `thinking` is kept until the model has answered the user's message. */
const AssistantMessage = Schema.Struct({
  role: Schema.Literal("assistant"),
  content: Schema.String,
  thinking: Schema.String,
  calls: Schema.Array(AskedCall)
})
export type AssistantMessage = typeof AssistantMessage.Type

export const assistantMessage = (content: string, more: Partial<AssistantMessage> = {}): AssistantMessage => ({
  role: "assistant",
  content: content === "" && (more.calls ?? []).length === 0 ? "(no answer)" : content,
  thinking: "",
  calls: [],
  ...more
})

/** The result of the call with this `id` and `name`. */
const ToolMessage = Schema.Struct({
  role: Schema.Literal("tool"),
  id: Schema.String,
  name: Schema.String,
  result: ToolResult
})
export type ToolMessage = typeof ToolMessage.Type

export const ConversationMessage = Schema.Union([UserMessage, AssistantMessage, ToolMessage])
export type ConversationMessage = typeof ConversationMessage.Type

/** The size of an image in characters. Servers count an image as about a thousand tokens. */
export const pictureCharacters = 4000
const pictureSize = " ".repeat(pictureCharacters)

/** A text as long as the message in a prompt. Each image counts as `pictureCharacters` blanks. */
export const messageText = (message: ConversationMessage): string => {
  switch (message.role) {
    case "user":
      return `${message.content}${(message.pictures ?? []).map(() => pictureSize).join("")}\n`
    case "assistant":
      return [message.thinking, message.content, ...message.calls.map((call) => JSON.stringify(call)), ""].join("\n")
    case "tool":
      return `${message.name}\n${resultText(message.result)}\n`
  }
}

export const messageCharacters = (message: ConversationMessage): number => messageText(message).length

/** The characters that these messages take in a prompt. */
export const conversationSize = (messages: ReadonlyArray<ConversationMessage>): number =>
  messages.reduce((sum, message) => sum + messageCharacters(message), 0)

/** Appends a sentence to the last message, if it is from the user or the program. */
export const withNote = (
  messages: ReadonlyArray<ConversationMessage>,
  note: string
): ReadonlyArray<ConversationMessage> => {
  const last = messages.at(-1)
  if (last?.role !== "user") return messages
  return [...messages.slice(0, -1), { ...last, content: `${last.content.trimEnd()} ${note}` }]
}

/** A call of the model that sends a conversation instead of a prompt. */
export interface ConversationCall {
  readonly system: string
  readonly messages: ReadonlyArray<ConversationMessage>
  /** The tools that the model may call. */
  readonly tools: ReadonlyArray<ToolInfo>
}

const toolText = ({ description, name, parameters }: ToolInfo): string =>
  JSON.stringify({ name, description, parameters: compactSchema(parameters) })

const partNames = { user: "messages", assistant: "answers", tool: "call_outputs" } as const

/** The conversation as a prompt. It only serves to measure, and is never sent. */
export const measuredPrompt = ({ messages, system, tools }: ConversationCall): FilledPrompt => {
  const offered = tools.map(toolText).join("\n")
  return {
    system: system + offered,
    user: messages.map(messageText).join(""),
    get parts() {
      return addParts([
        { name: "instructions", characters: system.length },
        { name: "tools", characters: offered.length },
        ...messages.map((message) => ({ name: partNames[message.role], characters: messageCharacters(message) }))
      ])
    }
  }
}
