/**
 * Where in a run a question comes up, so that an answer that is kept counts for this question and no later one with the
 * same words. Activities say the place, the gate makes the id of a question from it.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { hashOf } from "../files/Hash.ts"

/** The name of the activity that asks, or the round and stage outside of one; empty outside of both. */
export const QuestionScope = Context.Reference<string>(
  "task-conductor/services/permissions/QuestionScope/QuestionPlace",
  {
    defaultValue: () => ""
  }
)

/** The id of a question about what has this hash. */
export const questionId = (hash: string): Effect.Effect<string> =>
  Effect.map(QuestionScope, (place) => (place === "" ? hash : hashOf([place, hash])))
