/**
 * The name of the model for one request when it is not the one of the run: what the skill of a task chose. A model that
 * has no names to choose from ignores it.
 */
import * as Context from "effect/Context"

/**
 * A reference, since the interface of LanguageModel has no parameter for it. Without a value the model of the run answers,
 * which is what the person configured.
 */
export const ModelOverride = Context.Reference<string | undefined>("task-conductor/services/providers/ModelOverride", {
  defaultValue: () => undefined
})
