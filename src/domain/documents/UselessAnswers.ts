/**
 * Recognises useless answers: no document, a loop, only thoughts, or a repeated answer. After several useless answers
 * in a row, more attempts do not help, and each may take minutes.
 */
import { type Issue, type IssueCode, makeIssue } from "../findings/Issue.ts"

/** After this many useless answers in a row, the program gives up on the model. */
export const mostUselessAnswers = 3

/** Issues of an answer that has none of the requested content. */
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

/** The note in place of the omitted end of a stopped answer. */
export const stoppedNote = (left: number): string => `[The answer was stopped; ${left} characters are left out.]`

/** True for an answer that copies the note of `stoppedNote` from the prompt. */
export const repeatsStopped = (answer: string): boolean => /\[The answer was stopped; \d+ characters/.test(answer)

export const stoppedAgain = makeIssue(
  "answer-unfinished",
  {},
  {
    what: "The answer repeats the one that was stopped.",
    how: "Write another answer, in your own words, and shorter."
  }
)

/** For each stage: words that complete a sentence about a model that cannot do the work of this stage. */
const wantedIn: Readonly<Record<string, string>> = {
  plan: "plan this",
  task: "carry out the task",
  iterate: "say what is left to do",
  conclude: "write the answer",
  ask: "answer this"
}

/** Tells the user that the program gave up on the model, and what to do. */
export const unableText = (model: string, stage: string): string =>
  `The model ${model} could not ${wantedIn[stage] ?? "do this"}: ${mostUselessAnswers} answers in a row were of no use. Try a larger model (--model), or say the request in fewer and plainer words.`
