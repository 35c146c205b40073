/**
 * A stand-in for a language model that needs no server and no weights: it answers the prompts of the stages and of
 * conversations by rules, the same answer for the same prompt.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Prompt from "effect/ai/Prompt"
import * as Tool from "effect/ai/Tool"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as LanguageModel from "effect/ai/LanguageModel"
import { renderRefined } from "../../../domain/documents/TaskRendering.ts"
import { ToolCall } from "../../../domain/tools/ToolCall.ts"
import type { JsonSchema } from "../../../domain/tools/ToolSchema.ts"
import { makeStreamedModel } from "../StreamedModel.ts"
import { messageText, type Sent, estimatedFinish, filledPrompt } from "../PromptText.ts"
import { fillCalls, kindOf, stageAnswer } from "./StageAnswer.ts"
import { matchRows, type Outcome, outcomesIn, readOutcome, disclosure, foundText, pathsOf, ranked } from "./Quotes.ts"
import { blocksIn, type OfferedTool, toolsIn } from "./PromptReading.ts"
import { readRequest } from "./Clues.ts"
import type { Provider } from "../Provider.ts"

/** The file in view, what is attached, and the open files stand before the first message and are not part of it. */
const filesInView =
  /^(?:## Current file\n\nPath: [^\n]*\n\n(`{3,})[^\n]*\n[^]*?\n\1\n+)?(?:## Attached input\n\n[^\n]*\n\n(`{3,})[^\n]*\n[^]*?\n\2\n+)?(?:## Open files\n\n(?:- [^\n]*\n)+\n*)?/

const offered = (tool: Tool.Any): OfferedTool => {
  const parameters = Tool.getJsonSchema(tool) as JsonSchema
  return { name: tool.name, description: Tool.getDescription(tool) ?? "", parameters }
}
const decodeCall = Schema.decodeUnknownOption(ToolCall)

/** True for a reply of the program to the calls of an answer. */
const isReply = (message: Prompt.Message): boolean =>
  message.role === "user" &&
  /^(?:### (?:Tool call|Changed:|Not changed:) |## (?:Reply \d|Checks$|Issues with your answer$|Now$))/m.test(
    messageText(message).split("\n", 1).join("")
  )

/** The calls among messages that have a result, in a reply or through the interface. */
const outcomesOf = (messages: ReadonlyArray<Prompt.Message>): ReadonlyArray<Outcome> => {
  const replied = messages.filter(isReply).flatMap((message) => outcomesIn(blocksIn(messageText(message))))
  const parts = messages.flatMap(({ content }) => (typeof content === "string" ? [] : [...content]))
  const results = new Map(parts.flatMap((part) => (part.type === "tool-result" ? [[part.id, part.result]] : [])))
  const called = parts.flatMap((part) => {
    if (part.type !== "tool-call") return []
    const call = decodeCall({ uid: part.id, name: part.name, arguments: part.params })
    const output = results.get(part.id)
    return typeof output === "string" ? Option.toArray(call).map((one) => ({ call: one, output })) : []
  })
  return [...replied, ...called]
}

/** The next thing to say, the same every time: calls, or else an answer. */
export const askAnswer = ({ prompt: { content }, tools: native }: Sent, system: string): string => {
  const all = native.length > 0 ? native.map(offered) : toolsIn(system)
  const start = content.findLastIndex((one) => one.role === "user" && !isReply(one))
  const asked = content[start]
  const request = readRequest(asked === undefined ? "" : messageText(asked).replace(filesInView, ""))
  const outcomes = outcomesOf(content.slice(start + 1))
  // What a tool with other parameters does is not understood, and a list of its own holds nothing: it writes none.
  const tools = all.filter((tool) => kindOf(tool) !== "other" && !/\byour own\b/.test(tool.description))
  const readers = tools.filter((tool) => kindOf(tool) === "path")
  const hasRead = outcomes.some(({ call }) => readers.some(({ name }) => name === call.name))
  const rows = outcomes.flatMap(({ output }) => matchRows(output))
  const around = { ...request, paths: pathsOf(ranked(rows, request.terms)).slice(0, 1) }
  const next = hasRead ? [] : fillCalls(readers, around)
  const calls = outcomes.length === 0 ? fillCalls(tools, request) : next
  const pieces = outcomes.flatMap((outcome) => readOutcome(outcome, request.terms))
  return calls.length > 0 ? renderRefined({ calls }) : `${foundText(pieces, request.terms)}\n\n${disclosure}`
}

/** The model `embedded`. It streams one delta for each paragraph, so that there is progress to show. */
export const EmbeddedModel = {
  layer: Layer.effect(
    LanguageModel.LanguageModel,
    makeStreamedModel((asked) =>
      Stream.suspend(() => {
        const prompt = filledPrompt(asked.prompt)
        const isConversation = /^# Stage: ask$/m.test(prompt.system)
        const text = isConversation ? askAnswer(asked, prompt.system) : stageAnswer(prompt)
        return Stream.make(
          { type: "text-start", id: "text" },
          ...text.split(/(?<=\n\n)/).map((delta) => ({ type: "text-delta" as const, id: "text", delta })),
          { type: "text-end", id: "text" },
          estimatedFinish(asked, text, "stop")
        )
      })
    )
  )
}

/** The provider of the built-in demo: no server, no key, and nothing to be known of its one model. */
export const embedded: Provider = {
  id: "embedded",
  owns: (model) => model === "embedded",
  traceName: "task-conductor",
  model: () => EmbeddedModel.layer
}
