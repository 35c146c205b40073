/**
 * Where in a run something is asked for, so that an answer that is persisted counts for this question and for no later one
 * with the same words.
 */
import { hashOf } from "../files/Hash.ts"

export interface QuestionScope {
  readonly task: string
  /**
   * The name of the activity that asks, or the round and stage outside of one. Empty where no answer is persisted: before
   * the first round, and outside of runs.
   */
  readonly place: string
}

/** The id of a question about what has this hash. */
export const questionId = ({ hash, place }: { readonly hash: string; readonly place: string }): string =>
  place === "" ? hash : hashOf([place, hash])
