/**
 * What the embedded model says in a conversation: it looks for the words of the last message, reads around the best line
 * that it finds, and quotes what the tools gave. Each message is taken by itself.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import { lastRequest } from "../../../domain/models/ConversationMessage.ts"
import { ToolCall } from "../../../domain/tools/ToolCall.ts"
import type { JsonSchema } from "../../../domain/tools/ToolSchema.ts"
import { messageText, type Sent } from "../PromptText.ts"
import { fillCalls, kindOf } from "./CallFilling.ts"
import { matchRows, type Outcome, readOutcome } from "./Outputs.ts"
import type { OfferedTool } from "./PromptReading.ts"
import { disclosure, foundText, pathsOf, ranked } from "./Quotes.ts"
import { readRequest } from "./Request.ts"

/** The file in view, what is attached, and the open files stand before the first message and are not part of it. */
const filesInView =
  /^(?:## Current file\n\nPath: [^\n]*\n\n(`{3,})[^\n]*\n[^]*?\n\1\n+)?(?:## Attached input\n\n[^\n]*\n\n(`{3,})[^\n]*\n[^]*?\n\2\n+)?(?:## Open files\n\n(?:- [^\n]*\n)+\n*)?/

const offered = (tool: Tool.Any): OfferedTool => {
  const parameters = Tool.getJsonSchema(tool) as JsonSchema
  return { name: tool.name, description: Tool.getDescription(tool) ?? "", parameters }
}
const decodeCall = Schema.decodeUnknownOption(ToolCall)

/** The calls among messages that have a result. */
const outcomesOf = (messages: ReadonlyArray<Prompt.Message>): ReadonlyArray<Outcome> => {
  const parts = messages.flatMap(({ content }) => (typeof content === "string" ? [] : [...content]))
  const results = new Map(parts.flatMap((part) => (part.type === "tool-result" ? [[part.id, part.result]] : [])))
  return parts.flatMap((part) => {
    if (part.type !== "tool-call") return []
    const call = decodeCall({ uid: part.id, name: part.name, arguments: part.params })
    const output = results.get(part.id)
    return typeof output === "string" ? Option.toArray(call).map((one) => ({ call: one, output })) : []
  })
}

/** The next thing to say, the same every time: calls, or else an answer. */
export const askAnswer = ({ prompt: { content }, tools: all }: Sent) => {
  const start = content.findLastIndex((one) => one.role === "user" && messageText(one) !== lastRequest.content)
  const asked = content[start]
  const request = readRequest(asked === undefined ? "" : messageText(asked).replace(filesInView, ""))
  const outcomes = outcomesOf(content.slice(start + 1))
  // What a tool with other parameters does is not understood.
  const tools = all.map(offered).filter((tool) => kindOf(tool) !== "other")
  const readers = tools.filter((tool) => kindOf(tool) === "path")
  const hasRead = outcomes.some(({ call }) => readers.some(({ name }) => name === call.name))
  const rows = outcomes.flatMap(({ output }) => matchRows(output))
  const around = { ...request, paths: pathsOf(ranked(rows, request.terms)).slice(0, 1) }
  const next = hasRead ? [] : fillCalls(readers, around)
  const calls = outcomes.length === 0 ? fillCalls(tools, request) : next
  const pieces = outcomes.flatMap((outcome) => readOutcome(outcome, request.terms))
  return { text: calls.length > 0 ? "" : `${foundText(pieces, request.terms)}\n\n${disclosure}`, calls }
}
