/**
 * Answers of which nothing can be used: no document, a loop, only thoughts, the same again. A model that gives several in a row at
 * one place does not get further with more attempts, each of which may take minutes.
 */
import { type Issue, type IssueCode, makeIssue } from "../findings/Issue.ts"

/** After so many in a row the model is given up. */
export const mostUselessAnswers = 3

/** What is wrong with an answer that holds nothing of what was asked for. */
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

/** What stands in a prompt for the rest of an answer that was stopped. */
export const stoppedNote = (left: number): string => `[The answer was stopped; ${left} characters are left out.]`

/** True for an answer that repeats one that was stopped, with the note of the program. */
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

/** What was asked for, for the sentence about a model that cannot do it. */
const wantedIn: Readonly<Record<string, string>> = {
  plan: "plan this",
  task: "carry out the task",
  iterate: "say what is left to do",
  conclude: "write the answer",
  ask: "answer this"
}

/** About a model that was given up at a stage, and what the person can do. */
export const unableText = (model: string, stage: string): string =>
  `The model ${model} could not ${wantedIn[stage] ?? "do this"}: ${mostUselessAnswers} answers in a row were of no use. Try a larger model (--model), or say the request in fewer and plainer words.`
