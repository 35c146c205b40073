/** What can be answered to each kind of question, and who answered. */
import * as Schema from "effect/Schema"

/** Single calls of a step: the numbers of the items that may run, counted from 1. The others are denied. */
const Chosen = Schema.Struct({ chosen: Schema.Array(Schema.Int) })

/** `repairs` is a yes that also covers later changes of the same files by the same task, where the question offers it. */
export const StepAnswer = Schema.Union([Schema.Literals(["step", "repairs", "remaining", "decline"]), Chosen])
export type StepAnswer = typeof StepAnswer.Type
export const CallAnswer = Schema.Literals(["once", "repairs", "session", "remember", "deny"])
export type CallAnswer = typeof CallAnswer.Type
/** The answer about a call in doubt: execute it again, take it as done, or stop the run. */
export const UncertainAnswer = Schema.Literals(["again", "done", "stop"])
export type UncertainAnswer = typeof UncertainAnswer.Type

/** The answer to a question of the model: the person said something, or nothing. */
export const WordsAnswer = Schema.Literals(["said", "nothing"])
export type WordsAnswer = typeof WordsAnswer.Type

export type AnyAnswer = StepAnswer | CallAnswer | UncertainAnswer | WordsAnswer

/** Who gave an answer; `nobody` when there was no way to ask. */
export const AnsweredBy = Schema.Literals(["person", "rule", "nobody"])
export type AnsweredBy = typeof AnsweredBy.Type

export interface Answered<A> {
  readonly answer: A
  readonly by: AnsweredBy
  /** With `decline` or `deny`: what the person wants instead, in their words. It goes into the next round. */
  readonly instead?: string
  /** With `said`: the words. */
  readonly text?: string
  /** With `step` or `remember`: the offered rules that the person chose for this project, by their text. */
  readonly always?: ReadonlyArray<string>
}

/** The answer of a person to a question of the model; none for no words. */
export const inWords = (text: string): Answered<WordsAnswer> =>
  text === "" ? { answer: "nothing", by: "person" } : { answer: "said", by: "person", text }
