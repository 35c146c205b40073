/**
 * Handles a question that a model asks in place of a plan, report or answer. The user answers it. The reply becomes
 * part of the prompt, and the work continues.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { questionOf } from "../../domain/documents/OtherForm.ts"
import { type AnswerReading, makeIssue } from "../../domain/findings/Issue.ts"
import type { AnsweredQuestion } from "../../domain/models/Briefing.ts"
import { Gate } from "../permissions/Gate.ts"

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ")

/** Turns an answered question into an issue that tells the model the answer. */
const readingOf = ({ answer, question }: AnsweredQuestion): AnswerReading<never> => {
  const what = `The answer asks the user: "${oneLine(question)}" The user answers: "${oneLine(answer)}"`
  const issue = makeIssue("answer-unfinished", {}, { what, how: "Go on with this answer." })
  return { value: Option.none(), issues: [issue], repairs: [], hasUse: true }
}

/** The issue if an answer asks the user a question, but nobody can reply. */
export const nobodyAnswers = makeIssue(
  "answer-unfinished",
  {},
  {
    what: "The answer is a question, and no report.",
    how: "Nobody answers now: decide by what the prompt says, name in the report what you assume, and go on."
  }
)

export const makeModelQuestions = Effect.map(Gate, (gate) => (place: string) => {
  const answered: Array<AnsweredQuestion> = []
  let open: string | undefined

  /** The question in a model's answer, with the user's reply. Undefined if there is no question or no reply. */
  const askUser = Effect.fn("ModelQuestions.ask")(function* (modelAnswer: string) {
    const question = questionOf(modelAnswer)
    if (question === undefined) return undefined
    const before = answered.find((earlier) => earlier.question === question)
    if (before !== undefined) return before
    const { text: answer } = yield* gate.ask({ scope: "question", place, text: question })
    open = answer === undefined ? question : undefined
    if (answer === undefined) return undefined
    answered.push({ question, answer })
    return { question, answer }
  })

  return {
    answered: (): ReadonlyArray<AnsweredQuestion> => answered,
    /** The last question that got no reply. */
    open: () => open,
    /**
     * If the answer contains a question, passes it to the user. Returns a reading that tells the model the reply.
     * Undefined if there is no question or no reply.
     */
    ask: (modelAnswer: string) => Effect.map(askUser(modelAnswer), (question) => question && readingOf(question)),
    /**
     * If the answer of the model is a question, asks the user this question. Returns the reply in the user's own words.
     * Undefined if there is no question or no reply.
     */
    words: (modelAnswer: string) => Effect.map(askUser(modelAnswer), (question) => question?.answer)
  }
})
