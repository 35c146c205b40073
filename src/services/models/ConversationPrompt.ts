/**
 * A conversation in the form of effect/ai: its messages, its tools, and the stream that answers it. The calls are
 * returned as the model wrote them and are not run here.
 */
import * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import {
  type ConversationMessage,
  messageCharacters,
  messageText,
  type Picture
} from "../../domain/models/ConversationMessage.ts"
import { resultText } from "../../domain/models/OutputText.ts"
import type { ToolInfo } from "../../domain/tools/ToolCall.ts"
import { addParts, type FilledPrompt } from "../../domain/models/PromptSize.ts"
import type { JsonSchema } from "../../domain/tools/ToolSchema.ts"
import { compactSchema } from "../../domain/models/ToolText.ts"

/** What is sent instead of a prompt. */
export interface ConversationCall {
  readonly system: string
  readonly messages: ReadonlyArray<ConversationMessage>
  /** The tools that the model may call. */
  readonly tools: ReadonlyArray<ToolInfo>
}

const toolText = ({ description, name, parameters }: ToolInfo): string =>
  JSON.stringify({ name, description, parameters: compactSchema(parameters) })

const partNames = { user: "messages", assistant: "answers", tool: "call_outputs" } as const

/** The text of a conversation, only to measure its size; the conversation is not sent in this form. */
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

const userMessage = (text: string, pictures: ReadonlyArray<Picture> = []): Prompt.Message =>
  Prompt.userMessage({
    content: [
      Prompt.textPart({ text }),
      ...pictures.map(({ data, mediaType, path }) => Prompt.filePart({ mediaType, fileName: path, data }))
    ]
  })

const promptMessage = (message: ConversationMessage): Prompt.Message => {
  switch (message.role) {
    case "user":
      return userMessage(message.content, message.pictures)
    case "assistant":
      return Prompt.assistantMessage({
        content: [
          ...(message.thinking === "" ? [] : [Prompt.reasoningPart({ text: message.thinking })]),
          ...(message.content === "" ? [] : [Prompt.textPart({ text: message.content })]),
          ...message.calls.map(({ arguments: params, id, name }) =>
            Prompt.toolCallPart({ id, name, params, providerExecuted: false })
          )
        ]
      })
    case "tool": {
      const { id, name, result } = message
      const outcome = { id, name, isFailure: !result.success, result: resultText(result), providerExecuted: false }
      return Prompt.toolMessage({ content: [Prompt.toolResultPart(outcome)] })
    }
  }
}

/** Templates of models want the roles to alternate, so that a reply of the host is joined to a message before it. */
const joinedUsers = (messages: ReadonlyArray<ConversationMessage>): ReadonlyArray<ConversationMessage> => {
  const joined: Array<ConversationMessage> = []
  for (const message of messages) {
    const last = joined.at(-1)
    if (message.role !== "user" || last?.role !== "user") joined.push(message)
    else {
      const pictures = [...(last.pictures ?? []), ...(message.pictures ?? [])]
      joined.splice(-1, 1, { role: "user", content: `${last.content}\n\n${message.content}`, pictures })
    }
  }
  return joined
}

const toolkitOf = (tools: ReadonlyArray<ToolInfo>) =>
  Toolkit.make(
    ...tools.map(({ description, name, parameters }) =>
      Tool.dynamic(name, { description, parameters: compactSchema(parameters) as JsonSchema })
    )
  )

/** A prompt as effect/ai takes it; from plain messages it would make one by decoding them. */
export const plainPrompt = ({ system, user }: FilledPrompt): Prompt.Prompt =>
  Prompt.fromMessages([Prompt.systemMessage({ content: system }), userMessage(user)])

/** What is said so far. */
export const conversationPrompt = ({ messages, system }: ConversationCall): Prompt.Prompt =>
  Prompt.fromMessages([Prompt.systemMessage({ content: system }), ...joinedUsers(messages).map(promptMessage)])

/** What a model is asked in a conversation with tools. Its calls are read, not resolved: the gate decides about them first. */
export const conversationRequest = (call: ConversationCall) => ({
  prompt: conversationPrompt(call),
  toolkit: toolkitOf(call.tools),
  disableToolCallResolution: true as const,
  toolCallValidation: "deferred" as const
})
