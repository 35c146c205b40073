/**
 * Lines in findings that are sent back to a model. It counts in what it is shown, which may be the whole answer, its
 * beginning or nothing of it, so a line is named only where it can be counted; otherwise the line itself is quoted.
 */
import type { Issue, Where } from "./Issue.ts"

const linesOf = (text: string): ReadonlyArray<string> => text.split(/\r\n|\r|\n/)

/** The readers name a further line of a document with these words; lines of files are named otherwise. */
const otherLine = /( that starts)? on line (\d+)/g

const withoutLine = (place: Where): Where => {
  const { line: _, ...where } = place
  return where
}

/** Where a line of the answer is in the text that is shown; blank lines at its beginning are not shown. */
const shownLines = (answer: string, shown: string) => {
  const written = linesOf(answer)
  const visible = linesOf(shown.trim())
  const lead = Math.max(
    0,
    written.findIndex((line) => line.trim() !== "")
  )
  const isSame = (index: number): boolean => visible[index]?.trim() === written[lead + index]?.trim()
  let count = 0
  while (shown.trim() !== "" && count < visible.length && isSame(count)) count += 1
  return (line: number): number | undefined => (line > lead && line - lead <= count ? line - lead : undefined)
}

/** The issues of an answer for a prompt that shows `shown` of it. */
export const issuesAsShown = (issues: ReadonlyArray<Issue>, answer: string, shown: string): ReadonlyArray<Issue> => {
  const lineIn = shownLines(answer, shown)
  const told = (text: string): string =>
    text.replace(otherLine, (words: string, _: string | undefined, number: string) => {
      const line = lineIn(Number(number))
      return line === undefined ? "" : words.replace(number, String(line))
    })
  return issues.map((issue) => {
    const { quote, where } = issue
    const said = { ...issue, what: told(issue.what), how: told(issue.how) }
    if (where.line === undefined) return said
    const line = lineIn(where.line)
    if (line !== undefined) return { ...said, where: { ...where, line } }
    const text = linesOf(answer)[where.line - 1]?.trim() ?? ""
    return { ...said, where: withoutLine(where), ...(quote === undefined && text !== "" ? { quote: text } : {}) }
  })
}

/**
 * Places in a document as places in the answer that it was taken from, whose thoughts and blank lines it does not have. A
 * line is found by its text, counted from the end; one that was changed has no line.
 */
export const placeInAnswer = (document: string, answer: string): ((where: Where) => Where) => {
  const taken = linesOf(document)
  const written = linesOf(answer)
  return (where) => {
    if (where.line === undefined) return where
    const text = taken[where.line - 1]?.trim()
    const after = taken.slice(where.line).filter((line) => line.trim() === text).length
    const found = written.flatMap((line, index) => (line.trim() === text ? [index + 1] : []))
    const line = found.at(-1 - after)
    return line === undefined ? withoutLine(where) : { ...where, line }
  }
}
