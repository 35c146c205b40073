/** How much of a reference a task has seen: the lines that its prompt shows, and those that it read later. */
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

/** How much of some lines was seen. */
export interface Coverage {
  /** By their characters, from 0 to 1. */
  readonly share: number
  readonly seen: number
  readonly of: number
}

/** How much of the lines is shown or stands in one of the texts that the model was given later; blank lines do not count. */
export const coverageOf = (
  { asked, first, lines, longestLine, path, shown }: CutReference,
  later: ReadonlyArray<string> = []
): Coverage => {
  const read = new Set(later.flatMap((text) => text.split("\n")))
  const rows = first === undefined ? lines : numberLines(lines, first)
  let [seen, all, seenLines, allLines] = [0, 0, 0, 0]
  for (const [index, line] of lines.entries()) {
    const { length } = line.trim()
    if (length === 0 || (asked !== undefined && (index < asked.from || index > asked.to))) continue
    const row = rows[index] ?? ""
    all += length
    allLines += 1
    // A program such as `cat` prints the lines without their numbers.
    const isRead = read.has(row) || read.has(line) || (first !== undefined && read.has(`${path}:${row}`))
    const part = isRead ? length : shown.has(index) ? Math.min(length, longestLine) : 0
    seen += part
    if (part === length) seenLines += 1
  }
  return { share: all === 0 ? 1 : seen / all, seen: seenLines, of: allLines }
}

/** The share in percent; less than 100 for what was not seen as a whole. */
export const percentOf = (share: number): number => (share >= 1 ? 100 : Math.min(99, Math.round(share * 100)))
