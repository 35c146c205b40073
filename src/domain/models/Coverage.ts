/**
 * Measures how much of a reference a task has seen: the lines in its prompt, and those that it read later.
 */
import type { LineRange } from "../text/LineRange.ts"
import { numberLines } from "../text/NumberedLines.ts"

/** A reference that a prompt shows in part. */
export interface CutReference {
  readonly href: string
  readonly lines: ReadonlyArray<string>
  /** The number of the first line, for numbered lines. */
  readonly first?: number | undefined
  /** The file, relative to the project. */
  readonly path?: string | undefined
  /** The indexes of the requested lines; absent for all. */
  readonly askedLines?: LineRange | undefined
  /** The indexes of the lines in the prompt. */
  readonly shownLines: ReadonlySet<number>
  /** How many characters of each line are shown. */
  readonly longestLine: number
}

/** The seen part of some lines. */
export interface Coverage {
  /** By their characters, from 0 to 1. */
  readonly share: number
  readonly seen: number
  readonly of: number
}

/** Counts the lines in the prompt or in later texts; blank lines do not count. */
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
    // A program such as `cat` prints the lines without their numbers.
    const isRead = read.has(row) || read.has(line) || (first !== undefined && read.has(`${path}:${row}`))
    const part = isRead ? length : shownLines.has(index) ? Math.min(length, longestLine) : 0
    seen += part
    if (part === length) seenLines += 1
  }
  return { share: all === 0 ? 1 : seen / all, seen: seenLines, of: allLines }
}

/** The share in percent; below 100 unless everything was seen. */
export const percentOf = (share: number): number => (share >= 1 ? 100 : Math.min(99, Math.round(share * 100)))
