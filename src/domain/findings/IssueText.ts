/**
 * Puts findings into words for two readers. The user reads what went wrong and what to do. The model reads the issues,
 * with the line numbers that its prompt shows.
 */
import { type Issue, type Repair, type Where, whereText } from "./Issue.ts"
import { ruleOf } from "./rules/Rules.ts"

/**
 * Puts the task and the field, or the section, before the text. No line is named, because the user does not see the
 * answer.
 */
const placed = ({ field, section, task }: Where, text: string): string => {
  const place = whereText({ section: task === undefined ? section : undefined, task, field })
  return place === "" ? text : `${place}: ${text}`
}

/** The place, problem and code of an issue, without the fix, which addresses the model. */
export const userText = (issue: Issue): string => `${placed(issue.where, issue.what)} [${issue.code}]`

/** The place of a repair, what the reader changed, and the code. */
export const repairText = ({ code, message, where }: Repair): string => `${placed(where, message)} [${code}]`

/** True for a repair that may have lost something or added something unwanted. */
export const mayLoseSomething = ({ code }: Repair): boolean => ruleOf(code)?.severity === "warning"

/** The text for the model: the place in its answer and the fix. */
export const modelText = ({ how, where }: Issue): string => {
  const place = whereText(where)
  return place === "" ? how : `${place}: ${how}`
}

/** The advice for users if a model repeatedly breaks a rule that has no advice of its own. */
export const usualHelp =
  "Try a larger model (--model), say the request in other words, or allow more attempts (limits.attempts)."

/** The advice for users after the last failed attempt. */
export const helpText = (issues: ReadonlyArray<Issue>): string => {
  const known = issues.flatMap(({ code }) => ruleOf(code)?.help ?? [])
  return [...new Set([...known, usualHelp])].join(" ")
}

const linesOf = (text: string): ReadonlyArray<string> => text.split(/\r\n|\r|\n/)

/**
 * Matches a reference to another line of the document, such as `on line 3`. Texts about lines of files never use this
 * wording.
 */
const otherLine = /( that starts)? on line (\d+)/g

const withoutLine = (place: Where): Where => {
  const { line: _, ...where } = place
  return where
}

/**
 * Makes a function that converts a line number of the answer to a line number of the shown text. Line 1 of the shown
 * text is its first line that is not blank.
 */
const shownLines = (answer: string, shownText: string) => {
  const written = linesOf(answer)
  const visible = linesOf(shownText.trim())
  const lead = Math.max(
    0,
    written.findIndex((line) => line.trim() !== "")
  )
  const isSame = (index: number): boolean => visible[index]?.trim() === written[lead + index]?.trim()
  let count = 0
  while (shownText.trim() !== "" && count < visible.length && isSame(count)) count += 1
  return (line: number): number | undefined => (line > lead && line - lead <= count ? line - lead : undefined)
}

/**
 * The issues of an answer, for a prompt that shows only the part `shown` of it. Line numbers count within this part. An
 * issue about a line outside this part has no line number, and quotes the line.
 */
export const issuesAsShown = (issues: ReadonlyArray<Issue>, answer: string, shown: string): ReadonlyArray<Issue> => {
  const lineIn = shownLines(answer, shown)
  const asShown = (text: string): string =>
    text.replace(otherLine, (words: string, _: string | undefined, number: string) => {
      const line = lineIn(Number(number))
      return line === undefined ? "" : words.replace(number, String(line))
    })
  return issues.map((issue) => {
    const { quote, where } = issue
    const asSeen = { ...issue, what: asShown(issue.what), how: asShown(issue.how) }
    if (where.line === undefined) return asSeen
    const line = lineIn(where.line)
    if (line !== undefined) return { ...asSeen, where: { ...where, line } }
    const text = linesOf(answer)[where.line - 1]?.trim() ?? ""
    return { ...asSeen, where: withoutLine(where), ...(quote === undefined && text !== "" ? { quote: text } : {}) }
  })
}

/**
 * Makes a function that converts places in a document to places in the answer around it. Lines are found by their text,
 * because the answer also has thoughts and blank lines. If lines are equal, they are matched from the end. A line that
 * the program changed is not found.
 */
export const placeInAnswer = (document: string, answer: string): ((where: Where) => Where) => {
  const documentLines = linesOf(document)
  const written = linesOf(answer)
  return (where) => {
    if (where.line === undefined) return where
    const text = documentLines[where.line - 1]?.trim()
    const after = documentLines.slice(where.line).filter((line) => line.trim() === text).length
    const found = written.flatMap((line, index) => (line.trim() === text ? [index + 1] : []))
    const line = found.at(-1 - after)
    return line === undefined ? withoutLine(where) : { ...where, line }
  }
}
