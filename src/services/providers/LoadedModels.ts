/**
 * Whether the server has a model in memory now, for saying what a call waits for. Some servers list a model from the moment
 * at which they begin to load it, so "yes" does not mean that it can be used; "no" means that it cannot.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** True when the server lists the model, nothing when it cannot be asked. A reference: not every provider has a server. */
export const LoadedModels = Context.Reference<(model: string) => Effect.Effect<boolean | undefined>>(
  "task-conductor/services/providers/LoadedModels",
  { defaultValue: () => () => Effect.undefined }
)
