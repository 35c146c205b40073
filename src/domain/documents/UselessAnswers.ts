/**
 * Recognises useless answers: no document, a loop, only thoughts, the same again. After several in a row at one place more
 * attempts do not help, and each may take minutes.
 */
import { type Issue, type IssueCode, makeIssue } from "../findings/Issue.ts"

/** After this many in a row the model is given up. */
export const mostUselessAnswers = 3

/** The issues of an answer with none of the requested content. */
const nothingUsable: ReadonlySet<string> = new Set<IssueCode>([
  "answer-cut-off",
  "answer-empty",
  "answer-loop",
  "answer-shape",
  "answer-unfinished",
  "plan-example",
  "report-unfounded",
  "section-missing",
  "step-empty",
  "task-repeated",
  "tasks-empty"
])

export const holdsNothing = (issues: ReadonlyArray<Issue>): boolean =>
  issues.some(({ code }) => nothingUsable.has(code))

/** Replaces the rest of a stopped answer in a prompt. */
export const stoppedNote = (left: number): string => `[The answer was stopped; ${left} characters are left out.]`

/** True for an answer that copies a stopped one, with the program's note. */
export const repeatsStopped = (answer: string): boolean => /\[The answer was stopped; \d+ characters/.test(answer)

/** The issue of such an answer. */
export const stoppedAgain = makeIssue(
  "answer-unfinished",
  {},
  {
    what: "The answer repeats the one that was stopped.",
    how: "Write another answer, in your own words, and shorter."
  }
)

/** The requested content, for the sentence about a model that cannot write it. */
const wantedIn: Readonly<Record<string, string>> = {
  plan: "plan this",
  task: "carry out the task",
  iterate: "say what is left to do",
  conclude: "write the answer",
  ask: "answer this"
}

/** Tells the user that a model was given up at a stage, and what to do. */
export const unableText = (model: string, stage: string): string =>
  `The model ${model} could not ${wantedIn[stage] ?? "do this"}: ${mostUselessAnswers} answers in a row were of no use. Try a larger model (--model), or say the request in fewer and plainer words.`
