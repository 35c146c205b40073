/**
 * Merges two changes of one text line by line, like `git merge-file`. Changes of the same line or of adjacent lines
 * clash.
 */
import { type ReplacedLines, replacedLines } from "../text/ReplacedLines.ts"

/** Lines that both changes affect. The merged text contains them as the other change wrote them. */
export interface Clash {
  /** The first of these lines in the merged text, from 1. */
  readonly line: number
  /** The lines in the other change, in the base, and in this change. */
  readonly theirs: string
  readonly base: string
  readonly mine: string
}

export interface MergedText {
  readonly text: string
  /** The lines that clash. Empty if the merged text contains both changes. */
  readonly clashes: ReadonlyArray<Clash>
}

/** The maximum number of differences in a part of a text. With more differences, the whole part counts as replaced. */
const maxEdits = 5000

const linesOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.split(/(?<=\n)/))

const linesWith = (
  base: ReadonlyArray<string>,
  { from, to }: Pick<ReplacedLines, "from" | "to">,
  all: ReadonlyArray<ReplacedLines>
): string => {
  const parts: Array<string> = []
  let at = from
  for (const one of all) {
    parts.push(...base.slice(at, one.from), ...one.lines)
    at = one.to
  }
  return [...parts, ...base.slice(at, to)].join("")
}

/** Merges two changes of `base`, with the results `mine` and `theirs`. */
export const mergeTexts = (base: string, mine: string, theirs: string): MergedText => {
  const lines = linesOf(base)
  const all = [
    ...replacedLines(lines, linesOf(mine), maxEdits).map((one) => ({ one, isMine: true })),
    ...replacedLines(lines, linesOf(theirs), maxEdits).map((one) => ({ one, isMine: false }))
  ].toSorted(({ one: a }, { one: b }) => a.from - b.from || a.to - b.to)
  const clashes: Array<Clash> = []
  let text = ""
  let at = 0
  for (let index = 0; index < all.length;) {
    const begin = index
    const from = all[begin]?.one.from ?? 0
    let to = from
    for (let next = all[index]; next !== undefined && next.one.from <= to; next = all[(index += 1)]) {
      to = Math.max(to, next.one.to)
    }
    const range = { from, to }
    const group = all.slice(begin, index)
    const partOf = (isMine: boolean) => group.flatMap((next) => (next.isMine === isMine ? [next.one] : []))
    const [mine, theirs] = [partOf(true), partOf(false)]
    const [mineThere, theirsThere] = [linesWith(lines, range, mine), linesWith(lines, range, theirs)]
    text += linesWith(lines, { from: at, to: from }, [])
    if (mine.length > 0 && theirs.length > 0 && mineThere !== theirsThere) {
      const line = text.split("\n").length
      clashes.push({ line, theirs: theirsThere, base: linesWith(lines, range, []), mine: mineThere })
    }
    text += theirs.length === 0 ? mineThere : theirsThere
    at = to
  }
  return { text: text + linesWith(lines, { from: at, to: lines.length }, []), clashes }
}
