/**
 * The provider of the built-in demo: no server, no key, and nothing to be known of its one model.
 */
import type { Provider } from "../Provider.ts"
import { EmbeddedModel } from "./EmbeddedModel.ts"

/** The name of its only model. */
export const embeddedModel = "embedded"

export const embedded: Provider = {
  id: embeddedModel,
  owns: (model) => model === embeddedModel,
  traceName: "task-conductor",
  model: () => EmbeddedModel.layer
}
