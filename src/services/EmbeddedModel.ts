/**
 * A stand-in for a language model that needs no server and no weights: it answers the prompts of the stages by rules, the
 * same answer for the same prompt. It speaks through the same seam as any model; what it says is made in
 * services/embedded.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import type { FilledPrompt } from "../domain/PromptTemplate.ts"
import { estimatePrompt, estimateTokens } from "../domain/TokenEstimate.ts"
import { stageAnswer } from "./embedded/StageAnswer.ts"

const textOf = (message: Prompt.Message): string =>
  typeof message.content === "string"
    ? message.content
    : message.content.map((part) => (part.type === "text" ? part.text : "")).join("")

const promptOf = ({ content }: Prompt.Prompt): FilledPrompt => {
  const texts = (role: Prompt.Message["role"]) =>
    content
      .filter((message) => message.role === role)
      .map(textOf)
      .join("\n\n")
  return { system: texts("system"), user: texts("user") }
}

const finishOf = (prompt: FilledPrompt, text: string): Response.FinishPartEncoded => ({
  type: "finish",
  reason: "stop",
  usage: {
    inputTokens: {
      total: estimatePrompt(prompt),
      uncached: undefined,
      cacheRead: undefined,
      cacheWrite: undefined
    },
    outputTokens: { total: estimateTokens(text), text: undefined, reasoning: undefined }
  },
  response: undefined
})

/** One delta for each paragraph, so that whoever shows progress has some to show. */
const streamOf = (prompt: FilledPrompt): ReadonlyArray<Response.StreamPartEncoded> => {
  const text = stageAnswer(prompt)
  const deltas = text.split(/(?<=\n\n)/).map((delta) => ({ type: "text-delta" as const, id: "text", delta }))
  return [{ type: "text-start", id: "text" }, ...deltas, { type: "text-end", id: "text" }, finishOf(prompt, text)]
}

/** The model `embedded`. */
export const EmbeddedModel: { readonly layer: Layer.Layer<LanguageModel.LanguageModel> } = {
  layer: Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: (options) =>
        Effect.sync(() => {
          const prompt = promptOf(options.prompt)
          const text = stageAnswer(prompt)
          return [{ type: "text", text }, finishOf(prompt, text)]
        }),
      streamText: (options) => Stream.suspend(() => Stream.fromIterable(streamOf(promptOf(options.prompt))))
    })
  )
}
