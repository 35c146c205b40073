/** The rules of the family `answers`, in the order of their page. */
import { defineFamily } from "./Rule.ts"

export const answersRules = defineFamily({
  family: "answers",
  title: "Answers",
  about: "Answers of a model that cannot be read at all.",
  rules: {
    "answer-empty": {
      severity: "error",
      title: "Empty answer",
      why: "There is nothing to read.",
      fix: "Write the document that is asked for."
    },
    "answer-cut-off": {
      severity: "error",
      title: "Answer cut off",
      why: "It ran into the length limit, and what is missing cannot be guessed.",
      fix: "Answer shorter.",
      help: "Ask for less at once, or raise contextWindow."
    },
    "answer-loop": {
      severity: "error",
      title: "Answer repeats itself",
      why: "A model in a loop does not recover, so the answer is stopped.",
      fix: "Write everything once, and stop."
    },
    "answer-shape": {
      severity: "error",
      title: "Document does not begin",
      why: "So much text stands before it that it would no longer fit, or the answer is the document of another stage.",
      fix: "Begin with the first heading of the document."
    }
  }
})
