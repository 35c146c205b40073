/**
 * What all providers share: texts of prompt messages, JSON schemas for answers, and token estimates for models without
 * a tokenizer.
 */
import { createHash } from "node:crypto"
import type * as JsonSchema from "effect/JsonSchema"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as AiError from "effect/ai/AiError"
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import { type FilledPrompt, estimateTokens } from "../../domain/models/PromptSize.ts"
import { finishPart } from "./StreamedModel.ts"

/** An id for a call that the templates of all models accept. Mistral requires nine letters and digits. */
export const sentId = (id: string): string =>
  /^[A-Za-z0-9]{9}$/.test(id) ? id : createHash("sha256").update(id).digest("hex").slice(0, 9)

type Part = Exclude<Prompt.Message["content"], string>[number]

const partText = (part: Part): string => {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text
    case "tool-call":
      return `${part.name}${JSON.stringify(part.params)}`
    case "tool-result":
      return JSON.stringify(part.result)
    default:
      return ""
  }
}

/** What effect/ai passes to a provider for one call of the model. */
export type SentPrompt = Pick<LanguageModel.ProviderOptions, "prompt" | "tools">

const promptText = ({ prompt, tools }: SentPrompt): string =>
  [
    ...tools.map((tool) => `${tool.name}${Tool.getDescription(tool)}${JSON.stringify(Tool.getJsonSchema(tool))}`),
    ...prompt.content.flatMap(({ content }) => (typeof content === "string" ? [content] : content.map(partText)))
  ].join("\n")

export const messageText = ({ content }: Prompt.Message): string =>
  typeof content === "string" ? content : content.map((part) => (part.type === "text" ? part.text : "")).join("")

/** Splits a prompt into the text of the system role and the text of the user. */
export const filledPrompt = ({ content }: Prompt.Prompt): FilledPrompt => {
  const texts = (role: Prompt.Message["role"]) =>
    content
      .filter((message) => message.role === role)
      .map(messageText)
      .join("\n")
  return { system: texts("system"), user: texts("user") }
}

/** The last part of an answer, with estimated token counts. */
export const estimatedFinish = (sent: SentPrompt, answerText: string, reason: "stop" | "length" | "tool_calls") =>
  finishPart(reason, reason === "tool_calls", {
    prompt: estimateTokens(promptText(sent)),
    answer: estimateTokens(answerText)
  })

/** The text parts of a message, joined with the separator. */
export const textOf = (parts: ReadonlyArray<{ readonly type: string }>, separator: string): string =>
  parts.flatMap((part) => ("text" in part && part.type === "text" ? [String(part.text)] : [])).join(separator)

/** A tool result as the model reads it. */
export const toolResultText = (part: Prompt.ToolResultPart): string => {
  const shown = part.modelOutput === undefined ? part.result : textOf(part.modelOutput, "\n\n")
  return typeof shown === "string" ? shown : (JSON.stringify(shown) ?? "")
}

/** The tools for Ollama and OpenAI servers. */
export const sentTools = (tools: LanguageModel.ProviderOptions["tools"]) =>
  tools.map((tool) => ({
    type: "function",
    function: {
      name: tool.name,
      description: Tool.getDescription(tool) ?? "",
      parameters: Tool.getJsonSchema(tool)
    }
  }))

/**
 * The JSON schema of an answer, with closed objects. If an object were open, a server would let the model add any
 * property.
 */
export const closedJsonSchema = (schema: Schema.Constraint) =>
  Effect.try({
    try: (): JsonSchema.JsonSchema => {
      const document = Schema.toJsonSchemaDocument(schema, { onExcessProperty: "error" })
      const { definitions } = document
      return Object.keys(definitions).length === 0 ? document.schema : { ...document.schema, $defs: definitions }
    },
    catch: (cause) => new AiError.UnsupportedSchemaError({ description: String(cause) })
  })

interface SentPicture {
  readonly mediaType: string
  /** The content of the picture in base64. */
  readonly data: string
}

/** The pictures of a message in base64. */
const picturesOf = ({ content }: Prompt.UserMessage): ReadonlyArray<SentPicture> =>
  content.flatMap((part) =>
    part.type === "file" && typeof part.data === "string" ? [{ mediaType: part.mediaType, data: part.data }] : []
  )

/** The messages of a prompt for a server. The callbacks convert the kinds of messages that differ between servers. */
export const sentMessages = <A, T, U>(
  { content }: Prompt.Prompt,
  assistant: (message: Prompt.AssistantMessage) => A,
  tool: (result: Prompt.ToolResultPart) => T,
  seen: (text: string, pictures: ReadonlyArray<SentPicture>) => U
) =>
  content.flatMap((message): ReadonlyArray<A | T | U | { readonly role: string; readonly content: string }> => {
    switch (message.role) {
      case "system":
        return [{ role: message.role, content: message.content }]
      case "user": {
        const text = textOf(message.content, "\n\n")
        const pictures = picturesOf(message)
        return [pictures.length === 0 ? { role: message.role, content: text } : seen(text, pictures)]
      }
      case "assistant":
        return [assistant(message)]
      case "tool":
        return message.content.flatMap((part) => (part.type === "tool-result" ? [tool(part)] : []))
    }
  })
