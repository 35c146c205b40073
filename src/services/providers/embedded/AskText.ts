/**
 * What the embedded model reads out of a conversation of effect/ai: the last message of the person, what was called since
 * then with what came back, and the tools on offer. Called by EmbeddedModel.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import { lastRequest } from "../../../domain/conversation/Conversation.ts"
import { Arguments, dataText, ToolResult } from "../../../domain/tools/ToolCall.ts"
import type { AskView } from "./AskAnswer.ts"
import { OfferedTool } from "./PromptText.ts"

const decodeTool = Schema.decodeUnknownOption(OfferedTool)
const decodeResult = Schema.decodeUnknownOption(ToolResult)
const decodeArguments = Schema.decodeUnknownOption(Arguments)

const offered = (tool: Tool.Any): ReadonlyArray<OfferedTool> =>
  Option.toArray(
    decodeTool({ name: tool.name, description: Tool.getDescription(tool), parameters: Tool.getJsonSchema(tool) })
  )

const textOf = (message: Prompt.Message): string =>
  typeof message.content === "string"
    ? message.content
    : message.content.map((part) => (part.type === "text" ? part.text : "")).join("")

/** The file in view stands before the first message and is not part of it. */
const withoutFile = (text: string): string =>
  text.replace(/^## Current file\n\nPath: [^\n]*\n\n(`{3,})[^\n]*\n[^]*?\n\1\n+/, "")

const outputOf = (result: unknown): string =>
  Option.match(decodeResult(result), {
    onNone: () => "ERROR: there is no result",
    onSome: ({ data, error_message, error_type, success }) =>
      success ? dataText(data) : `ERROR (${error_type}): ${error_message ?? ""}`
  })

/** What is asked now, and what is known of it. */
export const askViewOf = ({ prompt, tools }: LanguageModel.ProviderOptions): AskView => {
  const { content } = prompt
  const isAsked = (message: Prompt.Message) => message.role === "user" && textOf(message) !== lastRequest.content
  const start = content.findLastIndex(isAsked)
  const since = content.slice(start + 1)
  const results = new Map(
    since.flatMap((message) =>
      message.role === "tool"
        ? message.content.flatMap((part) => (part.type === "tool-result" ? [[part.id, part.result] as const] : []))
        : []
    )
  )
  const outcomes = since.flatMap((message) =>
    message.role === "assistant"
      ? message.content.flatMap((part) => {
          if (part.type !== "tool-call") return []
          const given = Option.getOrElse(decodeArguments(part.params), () => ({}))
          return [{ call: { name: part.name, arguments: given }, output: outputOf(results.get(part.id)) }]
        })
      : []
  )
  const asked = content[start]
  return { text: asked === undefined ? "" : withoutFile(textOf(asked)), tools: tools.flatMap(offered), outcomes }
}
