/**
 * A stand-in for a language model that needs no server and no weights: it answers the prompts of the stages and of conversations by rules, the
 * same answer for the same prompt. It speaks through the same seam as any model; what it says is made in
 * services/embedded.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import type { FilledPrompt } from "../../domain/models/PromptTemplate.ts"
import { estimatePrompt, estimateTokens } from "../../domain/models/TokenEstimate.ts"
import { promptText } from "../PromptText.ts"
import { askAnswer, type AskSaying } from "./embedded/AskAnswer.ts"
import { askViewOf } from "./embedded/AskText.ts"
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

const finishOf = (promptTokens: number, { calls, text }: AskSaying): Response.FinishPartEncoded => ({
  type: "finish",
  reason: calls.length === 0 ? "stop" : "tool-calls",
  usage: {
    inputTokens: {
      total: promptTokens,
      uncached: undefined,
      cacheRead: undefined,
      cacheWrite: undefined
    },
    outputTokens: { total: estimateTokens(text), text: undefined, reasoning: undefined }
  },
  response: undefined
})

const isConversation = ({ system }: FilledPrompt): boolean => /^# Stage: ask$/m.test(system)

/** A conversation has more than the two parts of a prompt. */
const tokensOf = (prompt: FilledPrompt, options: LanguageModel.ProviderOptions): number =>
  isConversation(prompt) ? estimateTokens(promptText(options)) : estimatePrompt(prompt)

const sayingOf = (prompt: FilledPrompt, options: LanguageModel.ProviderOptions): AskSaying =>
  isConversation(prompt) ? askAnswer(askViewOf(options)) : { text: stageAnswer(prompt), calls: [] }

const callsOf = ({ calls }: AskSaying): ReadonlyArray<Response.ToolCallPartEncoded> =>
  calls.map(({ arguments: params, name }, index) => ({ type: "tool-call", id: `call-${index + 1}`, name, params }))

/** One delta for each paragraph, so that whoever shows progress has some to show. */
const streamOf = (options: LanguageModel.ProviderOptions): ReadonlyArray<Response.StreamPartEncoded> => {
  const prompt = promptOf(options.prompt)
  const saying = sayingOf(prompt, options)
  const deltas = saying.text.split(/(?<=\n\n)/).map((delta) => ({ type: "text-delta" as const, id: "text", delta }))
  return [
    { type: "text-start", id: "text" },
    ...deltas,
    { type: "text-end", id: "text" },
    ...callsOf(saying),
    finishOf(tokensOf(prompt, options), saying)
  ]
}

/** The model `embedded`. */
export const EmbeddedModel: { readonly layer: Layer.Layer<LanguageModel.LanguageModel> } = {
  layer: Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: (options) =>
        Effect.sync(() => {
          const prompt = promptOf(options.prompt)
          const saying = sayingOf(prompt, options)
          return [{ type: "text", text: saying.text }, ...callsOf(saying), finishOf(tokensOf(prompt, options), saying)]
        }),
      streamText: (options) => Stream.suspend(() => Stream.fromIterable(streamOf(options)))
    })
  )
}
