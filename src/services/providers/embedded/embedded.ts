/**
 * The provider of the built-in demo: no server, no key, and nothing to be known of its one model.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Provider } from "../Provider.ts"

/** The name of its only model. */
export const embeddedModel = "embedded"

export const embedded: Provider = {
  id: embeddedModel,
  owns: (model) => model === embeddedModel,
  traceName: "task-conductor",
  model: () =>
    Layer.unwrap(
      Effect.map(
        Effect.promise(() => import("./EmbeddedModel.ts")),
        ({ EmbeddedModel }) => EmbeddedModel.layer
      )
    )
}
