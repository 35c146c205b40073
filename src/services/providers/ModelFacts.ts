/**
 * What a server knows of its models: how large a window they support, whether they think, what their Modelfile sets.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** Sizes in tokens; what the server does not say is absent. */
export interface Facts {
  /** False when the server could not be asked. */
  readonly isKnown: boolean
  readonly thinks: boolean
  /** True when the server says that it does not have the model. */
  readonly isMissing?: boolean
  /** True when the server forwards prompts for the model to another server. */
  readonly isForwarded?: boolean
  /** The largest window that the model was trained for. */
  readonly supportedWindow?: number
  /** `num_ctx` and `temperature` of the Modelfile. */
  readonly window?: number
  readonly temperature?: number
  /** The window with which the model is loaded. */
  readonly loadedWindow?: number
}

export const unknownFacts: Facts = { isKnown: false, thinks: false }

/** The facts of a model by its name. A reference: a provider without a server knows nothing, which is always allowed. */
export const ModelFacts = Context.Reference<(model: string) => Effect.Effect<Facts>>(
  "task-conductor/services/providers/ModelFacts",
  { defaultValue: () => () => Effect.succeed(unknownFacts) }
)
