/**
 * How much of a reference a task has seen: the lines that its prompt shows, and those that it read later.
 */
import type { LineRange } from "../text/LineRange.ts"
import { numberLines } from "../text/NumberedLines.ts"

/** A reference of which a prompt shows a part. */
export interface CutReference {
  readonly href: string
  readonly lines: ReadonlyArray<string>
  /** The number of the first line, where lines are shown with numbers. */
  readonly first?: number | undefined
  /** The file, relative to the project. */
  readonly path?: string | undefined
  /** The indexes of the lines that are asked for; all of them without. */
  readonly asked?: LineRange | undefined
  /** The indexes of the lines that are shown. */
  readonly shown: ReadonlySet<number>
  /** So many characters of each line are shown. */
  readonly longestLine: number
}

/** How much of the lines is shown or stands in one of the texts that the model was given later, from 0 to 1. */
export const coverageOf = (
  { asked, first, lines, longestLine, path, shown }: CutReference,
  later: ReadonlyArray<string> = []
): number => {
  const read = new Set(later.flatMap((text) => text.split("\n")))
  const rows = first === undefined ? lines : numberLines(lines, first)
  let [seen, all] = [0, 0]
  for (const [index, line] of lines.entries()) {
    const { length } = line.trim()
    if (length === 0 || (asked !== undefined && (index < asked.from || index > asked.to))) continue
    const row = rows[index] ?? ""
    all += length
    // A program such as `cat` prints the lines without their numbers.
    if (read.has(row) || read.has(line) || (first !== undefined && read.has(`${path}:${row}`))) seen += length
    else if (shown.has(index)) seen += Math.min(length, longestLine)
  }
  return all === 0 ? 1 : seen / all
}

/** The share in percent; less than 100 for what was not seen as a whole. */
export const percentOf = (share: number): number => (share >= 1 ? 100 : Math.min(99, Math.round(share * 100)))
