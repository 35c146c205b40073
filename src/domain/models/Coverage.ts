/** Measures how much of a reference the model of a task has seen, in its prompt and in later outputs. */
import type { LineRange } from "../text/LineRange.ts"
import { numberLines } from "../text/NumberedLines.ts"

/** A reference of which the prompt shows only a part. */
export interface CutReference {
  readonly href: string
  readonly lines: ReadonlyArray<string>
  /** The number of the first line, if the lines have numbers. */
  readonly first?: number | undefined
  /** The path of the file, relative to the project. */
  readonly path?: string | undefined
  /** The indexes of the lines that the task requested; absent for all lines. */
  readonly askedLines?: LineRange | undefined
  /** The indexes of the lines in the prompt. */
  readonly shownLines: ReadonlySet<number>
  /** How many characters of each line the prompt shows. */
  readonly longestLine: number
}

/** How much of some lines the model has seen. */
export interface Coverage {
  /** The seen share of their characters, from 0 to 1. */
  readonly share: number
  readonly seen: number
  readonly of: number
}

/** Counts the lines that the prompt or later texts show. Blank lines do not count. */
export const coverageOf = (
  { askedLines, first, lines, longestLine, path, shownLines }: CutReference,
  later: ReadonlyArray<string> = []
): Coverage => {
  const read = new Set(later.flatMap((text) => text.split("\n")))
  const rows = first === undefined ? lines : numberLines(lines, first)
  let [seen, all, seenLines, allLines] = [0, 0, 0, 0]
  for (const [index, line] of lines.entries()) {
    const { length } = line.trim()
    if (length === 0 || (askedLines !== undefined && (index < askedLines.from || index > askedLines.to))) continue
    const row = rows[index] ?? ""
    all += length
    allLines += 1
    // A line counts with or without its number, because a program such as `cat` prints no numbers.
    const isRead = read.has(row) || read.has(line) || (first !== undefined && read.has(`${path}:${row}`))
    const part = isRead ? length : shownLines.has(index) ? Math.min(length, longestLine) : 0
    seen += part
    if (part === length) seenLines += 1
  }
  return { share: all === 0 ? 1 : seen / all, seen: seenLines, of: allLines }
}

/** The share in percent. It is below 100 unless the model has seen everything. */
export const percentOf = (share: number): number => (share >= 1 ? 100 : Math.min(99, Math.round(share * 100)))
