/**
 * The name of the model that one request is for, when it is not the one of the run: what a skill chose. ModelCaller sets
 * it around a request, OllamaModel reads it. A model that has no names to choose from pays no attention to it.
 */
import * as Context from "effect/Context"

export const ChosenModel = Context.Reference<string | undefined>("task-conductor/services/providers/ChosenModel", {
  defaultValue: () => undefined
})
