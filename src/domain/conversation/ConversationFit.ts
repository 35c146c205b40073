/**
 * Makes a conversation small enough for the context window. Only what tools returned is shortened, oldest first and in
 * plain sight, then what the model thought; what the person wrote stays as it is. Called by services/conversation/AskTurn.
 */
import { type ConversationMessage, type ToolMessage, withoutThinking } from "./Conversation.ts"
import { shares, shorten } from "../text/Excerpt.ts"
import { dataText, type ToolResult } from "../tools/ToolCall.ts"

/** The text that a message takes in a prompt, to be measured. */
export const messageText = (message: ConversationMessage): string => {
  switch (message.role) {
    case "user":
      return `${message.content}\n`
    case "assistant":
      return [message.thinking, message.content, ...message.calls.map((call) => JSON.stringify(call)), ""].join("\n")
    case "tool":
      return `${message.name}\n${JSON.stringify(message.result)}\n`
  }
}

/** The characters that a message takes in a prompt. */
export const messageCharacters = (message: ConversationMessage): number => messageText(message).length

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((all, one) => all + one, 0)

const charactersOf = (messages: ReadonlyArray<ConversationMessage>): number => sum(messages.map(messageCharacters))

/** Room for the words that say how much of a text is shown, in characters. */
const noteRoom = 80

/** The envelope with its data shortened, so that it takes about `limit` characters as JSON. */
const shortened = (result: ToolResult, limit: number): ToolResult => {
  const whole = JSON.stringify(result).length
  if (whole <= limit || result.data === null) return result
  const text = dataText(result.data)
  const escaped = JSON.stringify(text).length
  const room = Math.max(0, limit - (whole - JSON.stringify(result.data).length) - noteRoom)
  return { ...result, data: shorten(text, Math.floor((room * text.length) / escaped)) }
}

/** What stands in the place of an output that is left out. */
const leftOut = (message: ToolMessage): ToolMessage => {
  const size = message.result.data === null ? 0 : dataText(message.result.data).length
  const data = `[This output of ${size} characters is left out to make room. Call ${message.name} again if you still need it.]`
  const short = { ...message, result: { ...message.result, data } }
  return message.result.data !== null && messageCharacters(short) < messageCharacters(message) ? short : message
}

/** Shortens the outputs among the messages so that all of them together take at most `room` characters. */
export const capOutputs = (messages: ReadonlyArray<ToolMessage>, room: number): ReadonlyArray<ToolMessage> => {
  const limits = shares(messages.map(messageCharacters), room)
  return messages.map((message, index) => ({ ...message, result: shortened(message.result, limits[index] ?? 0) }))
}

/** A conversation that fits, as far as it can; `leftOut` names the tools whose outputs had to go. */
export interface FittedConversation {
  readonly messages: ReadonlyArray<ConversationMessage>
  readonly leftOut: ReadonlyArray<string>
}

/**
 * Fits a conversation into `room` characters: outputs are left out, oldest first, but for those the model has not seen
 * yet; those share what is left. When that is not enough, thinking goes too. The result may still be too large.
 */
export const fitConversation = (messages: ReadonlyArray<ConversationMessage>, room: number): FittedConversation => {
  const unseen = messages.findLastIndex(({ role }) => role !== "tool") + 1
  const names: Array<string> = []
  let over = charactersOf(messages) - room
  const older = messages.slice(0, unseen).map((message) => {
    if (over <= 0 || message.role !== "tool") return message
    const short = leftOut(message)
    if (short === message) return message
    over -= messageCharacters(message) - messageCharacters(short)
    names.push(message.name)
    return short
  })
  const newest = messages.slice(unseen).flatMap((message) => (message.role === "tool" ? [message] : []))
  if (over <= 0) return { messages: [...older, ...newest], leftOut: names }
  const thoughtless = withoutThinking(older)
  return {
    messages: [...thoughtless, ...capOutputs(newest, Math.max(0, room - charactersOf(thoughtless)))],
    leftOut: names
  }
}
