/**
 * The name of the model for one request, if the skill of a task chose another model than that of the run. A provider
 * with only one model ignores it.
 */
import * as Context from "effect/Context"

/**
 * A reference, since the interface of LanguageModel has no parameter for it. Without a value the model of the run
 * answers, which is what the person configured.
 */
export const ModelOverride = Context.Reference<string | undefined>("task-conductor/services/providers/ModelOverride", {
  defaultValue: () => undefined
})
