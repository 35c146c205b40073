/** The rules of the family `answers`, in the order of their page. */
import { answerEmpty } from "./answers/AnswerEmpty.ts"
import { answerCutOff } from "./answers/AnswerCutOff.ts"
import { answerLoop } from "./answers/AnswerLoop.ts"
import { answerShape } from "./answers/AnswerShape.ts"

export const answersRules = {
  family: "answers",
  title: "Answers",
  about: "Answers of a model that cannot be read at all.",
  rules: [answerEmpty, answerCutOff, answerLoop, answerShape]
} as const
