/**
 * Findings about answers of a model, in the words for the person who follows the run: what went wrong, and what can be done
 * when the model does not get it right. What the model is told to write is shown to a person only on request.
 */
import { type Issue, type Repair, whereText } from "./Issue.ts"
import { ruleOf } from "./rules/Rules.ts"

/** Task and field, or the section; a line would be one of an answer that the person does not see. */
const placeText = ({ field, section, task }: Issue["where"]): string =>
  whereText({
    ...(task === undefined && section !== undefined ? { section } : {}),
    ...(task === undefined ? {} : { task }),
    ...(field === undefined ? {} : { field })
  })

const placed = (where: Issue["where"], text: string): string => {
  const place = placeText(where)
  return place === "" ? text : `${place}: ${text}`
}

/** Where, what went wrong, and the code, without what the model is told. */
export const personText = (issue: Issue): string => `${placed(issue.where, issue.what)} [${issue.code}]`

/** Where and how a reader fixed something, and the code. */
export const repairText = ({ code, message, where }: Repair): string => `${placed(where, message)} [${code}]`

/** True for a repair with which something may be lost or unwanted. */
export const mayLoseSomething = ({ code }: Repair): boolean => ruleOf(code)?.severity === "warning"

/** What the model is told: the place in its answer and what to write. */
export const modelText = ({ how, where }: Issue): string => {
  const place = whereText(where)
  return place === "" ? how : `${place}: ${how}`
}

/** For a model that does not get it right. */
export const usualHelp =
  "Try a larger model (--model), say the request in other words, or allow more attempts (limits.attempts)."

/** What the person can do when no attempt was right. */
export const helpText = (issues: ReadonlyArray<Issue>): string => {
  const known = issues.flatMap(({ code }) => ruleOf(code)?.help ?? [])
  return [...new Set([...known, usualHelp])].join(" ")
}
