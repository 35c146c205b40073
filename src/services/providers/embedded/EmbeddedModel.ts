/**
 * A stand-in for a language model that needs no server and no weights: it answers the prompts of the stages and of
 * conversations by rules, the same answer for the same prompt.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as LanguageModel from "effect/ai/LanguageModel"
import { filledPrompt, finishPart } from "../PromptText.ts"
import { askAnswer } from "./AskAnswer.ts"
import { stageAnswer } from "./StageAnswer.ts"

/** What it says to a prompt: the text, and the parts behind the text. */
const answerTo = (asked: LanguageModel.ProviderOptions) => {
  const prompt = filledPrompt(asked.prompt)
  const isConversation = /^# Stage: ask$/m.test(prompt.system)
  const { calls, text } = isConversation ? askAnswer(asked) : { text: stageAnswer(prompt), calls: [] }
  const parts = calls.map(({ arguments: params, name, uid: id }) => ({ type: "tool-call" as const, id, name, params }))
  return { text, end: [...parts, finishPart(asked, text, calls.length === 0 ? "stop" : "tool-calls")] }
}

/** The model `embedded`. It streams one delta for each paragraph, so that there is progress to show. */
export const EmbeddedModel: { readonly layer: Layer.Layer<LanguageModel.LanguageModel> } = {
  layer: Layer.effect(
    LanguageModel.LanguageModel,
    LanguageModel.make({
      generateText: (asked) =>
        Effect.sync(() => {
          const { end, text } = answerTo(asked)
          return [{ type: "text", text }, ...end]
        }),
      streamText: (asked) =>
        Stream.suspend(() => {
          const { end, text } = answerTo(asked)
          const deltas = text.split(/(?<=\n\n)/).map((delta) => ({ type: "text-delta" as const, id: "text", delta }))
          return Stream.make({ type: "text-start", id: "text" }, ...deltas, { type: "text-end", id: "text" }, ...end)
        })
    })
  )
}
