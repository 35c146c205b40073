/**
 * The lines of a file that match a pattern, as a search shows them: with path and number, a long line around its match,
 * and the lines around it when they are wanted. Called by the tool `search_files`.
 */
import type { SearchPattern } from "./SearchPattern.ts"

/** A line by its index, and where in it the match begins. */
export interface LineMatch {
  readonly index: number
  readonly at: number
}

const maxLineLength = 300
const aroundMatch = 100

/**
 * The matches from line `from` on, at most `wanted`, and the line to go on with: after so many characters as the pattern
 * takes at once, so that the caller can let others work. Only the beginning of a longer line is searched.
 */
export const findMatches = (
  lines: ReadonlyArray<string>,
  { charactersAtOnce, find }: SearchPattern,
  from: number,
  wanted: number
): { readonly found: ReadonlyArray<LineMatch>; readonly next: number } => {
  const found: Array<LineMatch> = []
  let left = charactersAtOnce
  let index = from
  for (; index < lines.length && left > 0 && found.length < wanted; index++) {
    const line = lines[index] ?? ""
    const at = find(line.length > charactersAtOnce ? line.slice(0, charactersAtOnce) : line)
    if (at !== -1) found.push({ index, at })
    left -= line.length + 1
  }
  return { found, next: index }
}

const shorten = (line: string, at: number): string => {
  if (line.length <= maxLineLength) return line
  const start = Math.max(0, at - aroundMatch)
  const end = Math.min(line.length, start + maxLineLength)
  return `${start > 0 ? "..." : ""}${line.slice(start, end)}${end < line.length ? "..." : ""}`
}

/**
 * A match as `path:line: text`, the lines around it as `path-line- text`, `--` where lines are left out. `context` is how
 * many lines before and after a match are shown.
 */
export const showMatches = (
  path: string,
  lines: ReadonlyArray<string>,
  matches: ReadonlyArray<LineMatch>,
  context: number
): ReadonlyArray<string> => {
  const positions = new Map(matches.map(({ at, index }) => [index, at]))
  const shown: Array<string> = []
  let last: number | undefined
  for (const { index } of matches) {
    const first = Math.max(index - context, last === undefined ? 0 : last + 1)
    const end = Math.min(index + context, lines.length - 1)
    if (context > 0 && last !== undefined && first > last + 1) shown.push("--")
    for (let at = first; at <= end; at++) {
      const position = positions.get(at)
      const text = shorten(lines[at] ?? "", position ?? 0)
      shown.push(position === undefined ? `${path}-${at + 1}- ${text}` : `${path}:${at + 1}: ${text}`)
    }
    last = Math.max(last ?? end, end)
  }
  return shown
}
