/**
 * The model `embedded`: a demo without a server or weights. It follows a fixed plan (DemoAnswer.ts), reads no prompt,
 * and always gives the same answer.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as LanguageModel from "effect/ai/LanguageModel"
import { CurrentSubject } from "../CallSubject.ts"
import { estimatedFinish } from "../PromptText.ts"
import type { Provider } from "../Provider.ts"
import { makeStreamedModel } from "../StreamedModel.ts"
import { demoAnswer } from "./DemoAnswer.ts"

/** Streams its answer paragraph by paragraph, to show progress. */
export const EmbeddedModel = {
  layer: Layer.effect(
    LanguageModel.LanguageModel,
    makeStreamedModel((promptOptions) =>
      Stream.unwrap(
        Effect.gen(function* () {
          const text = demoAnswer(yield* CurrentSubject)
          return Stream.make(
            { type: "text-start", id: "text" },
            ...text.split(/(?<=\n\n)/).map((delta) => ({ type: "text-delta" as const, id: "text", delta })),
            { type: "text-end", id: "text" },
            estimatedFinish(promptOptions, text, "stop")
          )
        })
      )
    )
  )
}

/** The provider of the built-in demo: no server, no key, one model. */
export const embedded: Provider = {
  id: "embedded",
  owns: (model) => model === "embedded",
  traceName: "task-conductor",
  model: () => EmbeddedModel.layer
}
