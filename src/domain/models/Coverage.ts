/** Measures how much of a reference the model of a task has seen, in its prompt and in later outputs of tools. */
import type { LineRange } from "../text/LineRange.ts"
import { numberLines } from "../text/NumberedLines.ts"

/** A reference that the prompt shows only in part. */
export interface CutReference {
  readonly href: string
  readonly lines: ReadonlyArray<string>
  /** The number of the first line, if the lines have numbers. */
  readonly first?: number | undefined
  /** The path of the file, relative to the project. */
  readonly path?: string | undefined
  /** The indexes of the lines to which the reference is narrowed. Undefined for the whole text. */
  readonly askedLines?: LineRange | undefined
  /** The indexes of the lines in the prompt. */
  readonly shownLines: ReadonlySet<number>
  /** The maximum number of characters of a line that the prompt shows. */
  readonly longestLine: number
}

/** The numbers of the lines that the prompt shows. */
export const shownNumbers = ({ first = 1, shownLines }: CutReference): ReadonlyArray<number> =>
  [...shownLines].map((index) => first + index)

/** How much of some lines the model has seen. */
export interface Coverage {
  /** The share of the characters of these lines that the model has seen, from 0 to 1. */
  readonly share: number
  readonly seen: number
  readonly of: number
}

/** Measures how much of these lines the prompt and later texts show. Blank lines do not count. */
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
    // A line also counts without its number, because programs such as `cat` print none.
    const isRead = read.has(row) || read.has(line) || (first !== undefined && read.has(`${path}:${row}`))
    const part = isRead ? length : shownLines.has(index) ? Math.min(length, longestLine) : 0
    seen += part
    if (part === length) seenLines += 1
  }
  return { share: all === 0 ? 1 : seen / all, seen: seenLines, of: allLines }
}

/** A share in percent. The result is 100 only if the model has seen everything. */
export const percentOf = (share: number): number => (share >= 1 ? 100 : Math.min(99, Math.round(share * 100)))
