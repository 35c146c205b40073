/**
 * The body of a request to /api/chat: messages, tools and format of effect/ai in the form of Ollama.
 */
import * as Effect from "effect/Effect"
import * as AiError from "effect/ai/AiError"
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import * as Base64 from "effect/encoding/Base64"
import { closedJsonSchema, textOf, toolResultText } from "../PromptText.ts"

/** A tool call as Ollama wants to see it again. */
interface SentToolCall {
  readonly id: string
  readonly function: { readonly name: string; readonly arguments: Record<string, unknown> }
}

/** One message. Its keys are the server's. */
export interface SentMessage {
  readonly role: Prompt.Message["role"]
  readonly content: string
  readonly thinking?: string
  readonly images?: Array<string>
  readonly tool_calls?: Array<SentToolCall>
  readonly tool_name?: string
  readonly tool_call_id?: string
}

const imageOf = (part: Prompt.FilePart): Effect.Effect<string, AiError.InvalidUserInputError> =>
  !part.mediaType.startsWith("image/") || part.data instanceof URL
    ? Effect.fail(
        new AiError.InvalidUserInputError({
          description: `Ollama takes text and images by content, not ${part.fileName ?? part.mediaType}`
        })
      )
    : Effect.succeed(typeof part.data === "string" ? part.data : Base64.encode(part.data))

const userMessage = Effect.fnUntraced(function* (message: Prompt.UserMessage) {
  const files = message.content.filter((part) => part.type === "file")
  const images = yield* Effect.forEach(files, imageOf)
  const sent: SentMessage = {
    role: "user",
    content: textOf(message.content, "\n\n"),
    ...(images.length === 0 ? {} : { images })
  }
  return [sent]
})

/** Parameters that are not an object, such as text that is not JSON, get a name, since Ollama accepts objects only. */
const sentArguments = (params: unknown): Record<string, unknown> =>
  typeof params === "object" && params !== null && !Array.isArray(params) ? { ...params } : { value: params }

const assistantMessage = (message: Prompt.AssistantMessage): SentMessage => {
  const thinking = message.content.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])).join("")
  const calls = message.content.flatMap((part) =>
    part.type === "tool-call"
      ? [{ id: part.id, function: { name: part.name, arguments: sentArguments(part.params) } }]
      : []
  )
  return {
    role: "assistant",
    content: textOf(message.content, ""),
    ...(thinking === "" ? {} : { thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls })
  }
}

const toolMessages = (message: Prompt.ToolMessage): ReadonlyArray<SentMessage> =>
  message.content.flatMap((part) =>
    part.type === "tool-result"
      ? [{ role: "tool" as const, content: toolResultText(part), tool_name: part.name, tool_call_id: part.id }]
      : []
  )

const messagesOf = (
  message: Prompt.Message
): Effect.Effect<ReadonlyArray<SentMessage>, AiError.InvalidUserInputError> => {
  switch (message.role) {
    case "system":
      return Effect.succeed([{ role: "system", content: message.content }])
    case "user":
      return userMessage(message)
    case "assistant":
      return Effect.succeed([assistantMessage(message)])
    case "tool":
      return Effect.succeed(toolMessages(message))
  }
}

/**
 * The tools the model may call. The server cannot force a call, so a choice only narrows the list and
 * "required" is the same as "auto".
 */
const toolsOf = (options: LanguageModel.ProviderOptions) => {
  const choice = options.toolChoice
  if (choice === "none") return []
  const chosen =
    typeof choice === "object" && "tool" in choice
      ? options.tools.filter((tool) => tool.name === choice.tool)
      : options.tools
  return chosen.map((tool) => ({
    type: "function",
    function: {
      name: tool.name,
      description: Tool.getDescription(tool) ?? "",
      parameters: Tool.getJsonSchema(tool)
    }
  }))
}

/** The part of the request that depends on what is asked; `tools` and `format` are there only when they are used. */
export const readProviderOptions = Effect.fnUntraced(function* (options: LanguageModel.ProviderOptions) {
  const foreign = options.tools.find(Tool.isProviderDefined)
  if (foreign !== undefined) {
    return yield* new AiError.ToolConfigurationError({
      toolName: foreign.name,
      description: "Ollama has no tools of its own; define the tool with parameters and a handler"
    })
  }
  const messages = (yield* Effect.forEach(options.prompt.content, messagesOf)).flat()
  const tools = toolsOf(options)
  const wanted = options.responseFormat
  const format =
    wanted.type === "text"
      ? undefined
      : yield* Effect.try({
          try: () => closedJsonSchema(wanted.schema),
          catch: (cause) => new AiError.UnsupportedSchemaError({ description: String(cause) })
        })
  return {
    messages,
    ...(tools.length === 0 ? {} : { tools }),
    ...(format === undefined ? {} : { format })
  }
})
