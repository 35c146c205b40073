/**
 * The body of a request to /chat/completions: messages, tools and format of effect/ai in the form of OpenAI.
 */
import * as Effect from "effect/Effect"
import type * as JsonSchema from "effect/JsonSchema"
import * as Schema from "effect/Schema"
import * as AiError from "effect/ai/AiError"
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import * as Base64 from "effect/encoding/Base64"
import { closedJsonSchema, textOf, toolResultText } from "../PromptText.ts"

/** A part of the message of a user. */
type SentPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } }

/** One message. Its keys are the API's. */
export interface SentMessage {
  readonly role: Prompt.Message["role"]
  readonly content: string | null | ReadonlyArray<SentPart>
  readonly tool_calls?: ReadonlyArray<{
    readonly id: string
    readonly type: "function"
    readonly function: { readonly name: string; readonly arguments: string }
  }>
  readonly tool_call_id?: string
}

const imageOf = (part: Prompt.FilePart): Effect.Effect<SentPart, AiError.InvalidUserInputError> => {
  if (!part.mediaType.startsWith("image/")) {
    return Effect.fail(
      new AiError.InvalidUserInputError({
        description: `The server takes text and images, not ${part.fileName ?? part.mediaType}`
      })
    )
  }
  const { data, mediaType } = part
  const url =
    data instanceof URL
      ? data.href
      : `data:${mediaType};base64,${typeof data === "string" ? data : Base64.encode(data)}`
  return Effect.succeed({ type: "image_url", image_url: { url } })
}

const userMessage = Effect.fnUntraced(function* (message: Prompt.UserMessage) {
  const images = yield* Effect.forEach(
    message.content.filter((part) => part.type === "file"),
    imageOf
  )
  const text = textOf(message.content, "\n\n")
  // Many servers take text in parts only for models that see.
  const content = images.length === 0 ? text : [{ type: "text" as const, text }, ...images]
  const sent: ReadonlyArray<SentMessage> = [{ role: "user", content }]
  return sent
})

/** Thoughts are left out: the API has no place for them. */
const assistantMessage = (message: Prompt.AssistantMessage): SentMessage => {
  const text = textOf(message.content, "")
  const calls = message.content.flatMap((part) =>
    part.type === "tool-call"
      ? [
          {
            id: part.id,
            type: "function" as const,
            function: { name: part.name, arguments: JSON.stringify(part.params ?? {}) }
          }
        ]
      : []
  )
  return calls.length === 0
    ? { role: "assistant", content: text }
    : { role: "assistant", content: text === "" ? null : text, tool_calls: calls }
}

const toolMessages = (message: Prompt.ToolMessage): ReadonlyArray<SentMessage> =>
  message.content.flatMap((part) =>
    part.type === "tool-result" ? [{ role: "tool" as const, content: toolResultText(part), tool_call_id: part.id }] : []
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

/** The tools that the model may call, and whether it must; "auto" is what a server does by itself. */
const toolsOf = ({ toolChoice, tools }: LanguageModel.ProviderOptions) => {
  if (tools.length === 0 || toolChoice === "none") return {}
  const named = typeof toolChoice === "object" && "oneOf" in toolChoice ? new Set<string>(toolChoice.oneOf) : undefined
  const chosen = named === undefined ? tools : tools.filter(({ name }) => named.has(name))
  const choice =
    typeof toolChoice === "object"
      ? "tool" in toolChoice
        ? { type: "function", function: { name: toolChoice.tool } }
        : toolChoice.mode === "required"
          ? "required"
          : undefined
      : toolChoice === "required"
        ? "required"
        : undefined
  return {
    tools: chosen.map((tool) => ({
      type: "function",
      function: {
        name: tool.name,
        description: Tool.getDescription(tool) ?? "",
        parameters: Tool.getJsonSchema(tool)
      }
    })),
    ...(choice === undefined ? {} : { tool_choice: choice })
  }
}

/** A schema that says nothing of what is in the object asks for any object. */
const isAnyObject = (schema: JsonSchema.JsonSchema): boolean =>
  ["properties", "anyOf", "oneOf", "allOf", "$ref", "items", "enum"].every((name) => !(name in schema))

const formatOf = (name: string, given: Schema.Constraint) => {
  const schema = closedJsonSchema(given)
  return isAnyObject(schema)
    ? { type: "json_object" }
    : { type: "json_schema", json_schema: { name, strict: true, schema } }
}

/** The format of an answer that has to fit a JSON schema. */
export const boundFormat = (schema: object): object => ({
  type: "json_schema",
  json_schema: { name: "answer", strict: true, schema }
})

/** The part of the request that depends on what is asked; tools and format are there only when they are used. */
export const readProviderOptions = Effect.fnUntraced(function* (options: LanguageModel.ProviderOptions) {
  const foreign = options.tools.find(Tool.isProviderDefined)
  if (foreign !== undefined) {
    return yield* new AiError.ToolConfigurationError({
      toolName: foreign.name,
      description: "only tools with parameters and a handler can be sent; define the tool so"
    })
  }
  const messages = (yield* Effect.forEach(options.prompt.content, messagesOf)).flat()
  const wanted = options.responseFormat
  const format =
    wanted.type === "text"
      ? undefined
      : yield* Effect.try({
          try: () => formatOf(wanted.objectName, wanted.schema),
          catch: (cause) => new AiError.UnsupportedSchemaError({ description: String(cause) })
        })
  return { messages, ...toolsOf(options), ...(format === undefined ? {} : { response_format: format }) }
})
