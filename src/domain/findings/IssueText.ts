/**
 * Findings in words: for the person who follows a run, what went wrong and what can be done; for the model, what it is
 * told, with lines that it can count.
 */
import { type Issue, type Repair, type Where, whereText } from "./Issue.ts"
import { ruleOf } from "./rules/Rules.ts"

/** A text after its task and field, or its section; a line would be one of an answer that the person does not see. */
const placed = ({ field, section, task }: Where, text: string): string => {
  const place = whereText({ section: task === undefined ? section : undefined, task, field })
  return place === "" ? text : `${place}: ${text}`
}

/** Where, what went wrong, and the code, without what is reported to the model. */
export const userText = (issue: Issue): string => `${placed(issue.where, issue.what)} [${issue.code}]`

/** Where and how a reader fixed something, and the code. */
export const repairText = ({ code, message, where }: Repair): string => `${placed(where, message)} [${code}]`

/** True for a repair with which something may be lost or unwanted. */
export const mayLoseSomething = ({ code }: Repair): boolean => ruleOf(code)?.severity === "warning"

/** What is reported to the model: the place in its answer and what to write. */
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

const linesOf = (text: string): ReadonlyArray<string> => text.split(/\r\n|\r|\n/)

/** The readers name a further line of a document with these words; lines of files are named otherwise. */
const otherLine = /( that starts)? on line (\d+)/g

const withoutLine = (place: Where): Where => {
  const { line: _, ...where } = place
  return where
}

/** Where a line of the answer is in the text that is shown; blank lines at its beginning are not shown. */
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

/** The issues of an answer for a prompt that shows `shown` of it. */
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
 * Places in a document as places in the answer that it was taken from, whose thoughts and blank lines it does not have. A
 * line is found by its text, counted from the end; one that was changed has no line.
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
