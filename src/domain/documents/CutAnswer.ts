/**
 * An answer that ran into the length limit: the part that is certainly whole. It ends before the last heading, task or
 * code block that had begun, since that one may go on in what is missing.
 */
import type { Issue } from "../findings/Issue.ts"
import { type Line, readLines } from "../markdown/Line.ts"

export interface WholePart {
  readonly text: string
  /** The first line of what may be cut; empty when the answer ends with something whole. */
  readonly cut: string
}

/** The index of the line on which the last part begins. */
const lastStart = (lines: ReadonlyArray<Line>): number => {
  let start = 0
  let fence = ""
  let isInTask = false
  lines.forEach((line, index) => {
    if (fence !== "") {
      if (line.closing?.startsWith(fence) !== true) return
      fence = ""
      // A code block between the fields of a task ends nothing.
      if (!isInTask) start = index + 1
    } else if (line.opening !== undefined) {
      fence = line.opening.mark
      if (!isInTask) start = index
    } else if (line.isHeading || line.label?.key === "name") {
      isInTask = !line.isHeading
      start = index
    }
  })
  return start
}

const isText = (line: Line): boolean => !line.isBlank && !line.isHeading

/** The part before the last one that had begun, without headings that nothing follows. */
export const wholePartOf = (answer: string): WholePart => {
  const lines = readLines(answer)
  const start = lastStart(lines)
  const cut = lines.slice(start).find(({ isBlank }) => !isBlank)
  const end = lines.slice(0, start).findLastIndex(isText) + 1
  const text = lines.slice(0, end).map((line) => line.text)
  return { text: text.join("\n"), cut: cut?.text.trim() ?? "" }
}

/**
 * What is wrong with the whole part, found by the reader of the document. What has no line may still come, and so may
 * what an empty section lacks.
 */
export const issuesOfPart = ({ text }: WholePart, read: (part: string) => ReadonlyArray<Issue>): ReadonlyArray<Issue> =>
  text === "" ? [] : read(text).filter(({ where, code }) => where.line !== undefined && code !== "section-empty")
