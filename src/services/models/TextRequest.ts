/** Converts a request to the types of effect/ai. */
import * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import type { ConversationCall, ConversationMessage } from "../../domain/models/ConversationMessage.ts"
import { resultText } from "../../domain/models/OutputText.ts"
import type { FilledPrompt } from "../../domain/models/PromptSize.ts"
import { compactSchema } from "../../domain/models/ToolText.ts"
import type { ToolInfo } from "../../domain/tools/ToolCall.ts"
import type { JsonSchema } from "../../domain/tools/ToolSchema.ts"

const promptMessage = (message: ConversationMessage): Prompt.Message => {
  switch (message.role) {
    case "user":
      return Prompt.userMessage({
        content: [
          Prompt.textPart({ text: message.content }),
          ...(message.pictures ?? []).map(({ data, mediaType, path }) =>
            Prompt.filePart({ mediaType, fileName: path, data })
          )
        ]
      })
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

/** Joins consecutive messages of the user, because templates of models expect user and assistant in turn. */
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

/** A conversation with one message. */
const promptAlone = ({ system, user }: FilledPrompt): ConversationCall => ({
  system,
  messages: [{ role: "user", content: user }],
  tools: []
})

/** The messages, and a toolkit if there are tools. */
export const textRequest = (filled: FilledPrompt, conversation = promptAlone(filled)) => {
  const { messages, system, tools } = conversation
  const prompt = Prompt.fromMessages([
    Prompt.systemMessage({ content: system }),
    ...joinedUsers(messages).map(promptMessage)
  ])
  return { prompt, toolkit: tools.length === 0 ? undefined : toolkitOf(tools) }
}
