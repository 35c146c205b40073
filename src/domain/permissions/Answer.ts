/** The possible answers to each kind of question, and who gave the answer. */
import * as Schema from "effect/Schema"

/** The numbers of the calls that the user allows, from 1. All other calls of the step are denied. */
const Chosen = Schema.Struct({ chosen: Schema.Array(Schema.Int) })

/**
 * The answer to the question about a step. `repairs`, which only some questions offer, also allows later changes of the
 * same files by the same task.
 */
export const StepAnswer = Schema.Union([Schema.Literals(["step", "repairs", "remaining", "decline"]), Chosen])
export type StepAnswer = typeof StepAnswer.Type
export const CallAnswer = Schema.Literals(["once", "repairs", "session", "remember", "deny"])
export type CallAnswer = typeof CallAnswer.Type
/** The answer about an uncertain call: execute it again, treat it as done, or stop the run. */
export const UncertainAnswer = Schema.Literals(["again", "done", "stop"])
export type UncertainAnswer = typeof UncertainAnswer.Type

/** The answer to a question of the model: `said` if the user answered with words, otherwise `nothing`. */
export const WordsAnswer = Schema.Literals(["said", "nothing"])
export type WordsAnswer = typeof WordsAnswer.Type

/** Any answer to a question: about a step, a call, an uncertain call, or a question of the model. */
export type AnyAnswer = StepAnswer | CallAnswer | UncertainAnswer | WordsAnswer

/** Who gave an answer. `nobody` means that the program could ask no user. */
export const AnsweredBy = Schema.Literals(["person", "rule", "nobody"])
export type AnsweredBy = typeof AnsweredBy.Type

/** An answer, who gave it, and the words or rules that came with it. */
export interface Answered<A> {
  /** The decision: one of the answers that the question offers. */
  readonly answer: A
  /** Who gave the answer: a person, a rule, or nobody. */
  readonly by: AnsweredBy
  /**
   * With `decline` or `deny`: the change that the user wants instead, in their words. The next round makes this change.
   */
  readonly instead?: string
  /** With `said`: the words of the user. */
  readonly text?: string
  /** With `step` or `remember`: the offered rules that the user chose for this project. */
  readonly always?: ReadonlyArray<string>
}

/** The user's answer to a question of the model. */
export const inWords = (text: string): Answered<WordsAnswer> =>
  text === "" ? { answer: "nothing", by: "person" } : { answer: "said", by: "person", text }
