/**
 * Questions to the person that a model writes in the place of a plan, a report or an answer. Where somebody answers, the work goes
 * on with the answer, which then belongs to the prompt.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { questionOf } from "../../domain/documents/OtherForm.ts"
import { type AnswerReading, makeIssue } from "../../domain/findings/Issue.ts"
import type { AnsweredQuestion } from "../../domain/models/Briefing.ts"
import { Gate } from "../permissions/Gate.ts"

const oneLine = (text: string): string => text.replaceAll(/\s+/g, " ")

/** A question that is answered, as a reading: it is not what was asked for, and the model is told the answer. */
const readingOf = ({ answer, question }: AnsweredQuestion): AnswerReading<never> => {
  const what = `The answer asks the person: "${oneLine(question)}" The person answers: "${oneLine(answer)}"`
  const issue = makeIssue("answer-unfinished", {}, { what, how: "Go on with this answer." })
  return { value: Option.none(), issues: [issue], repairs: [], hasUse: true }
}

/** What a model is told that asks in the place of a report, where nobody answers. */
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

  /** The question that an answer of the model is, with what the person answers; nothing when there is neither. */
  const askPerson = Effect.fn("ModelQuestions.ask")(function* (modelAnswer: string) {
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
    /** The last question that nobody answered. */
    open: () => open,
    /** Asks the person when an answer of the model is a question, and gives the reading of one that is answered. */
    ask: (modelAnswer: string) => Effect.map(askPerson(modelAnswer), (question) => question && readingOf(question)),
    /** The answer of the person in their own words. */
    words: (modelAnswer: string) => Effect.map(askPerson(modelAnswer), (question) => question?.answer)
  }
})
