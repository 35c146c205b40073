/**
 * The line search of the tools. Compiles a pattern, finds the matching lines of a text, and shows them to a model. The
 * time for a line grows linearly with its length.
 */
import * as Result from "effect/Result"
import { RE2JS, RE2JSException } from "re2js"
import { numberLines } from "../text/NumberedLines.ts"

/** A compiled search; made by `searchPattern`. */
export interface SearchPattern {
  /** The index of the first match in a line; -1 without a match. */
  readonly find: (line: string) => number
  /**
   * After this many characters, the caller should let other work run. A search of so many characters takes
   * milliseconds, and less than a second at worst.
   */
  readonly charactersAtOnce: number
}

/**
 * How much a search may do before the caller lets other work run. One unit is one character times one step of the
 * compiled expression.
 */
const workAtOnce = 10_000_000

const plainText = (pattern: string, caseSensitive: boolean): SearchPattern => {
  const inCase = (text: string): string => (caseSensitive ? text : text.toLowerCase())
  return { find: (line) => inCase(line).indexOf(inCase(pattern)), charactersAtOnce: workAtOnce }
}

/**
 * Compiles a plain text, or a regular expression in the syntax of RE2, which has neither look-around nor back
 * references. Fails with the mistake in the expression.
 *
 * ```ts
 * const pattern = yield* Effect.fromResult(searchPattern("tod[oa]", { regex: true, caseSensitive: false }))
 * pattern.find("a TODO") // 2
 * ```
 */
export const searchPattern = (
  pattern: string,
  options: { readonly regex: boolean; readonly caseSensitive: boolean }
): Result.Result<SearchPattern, string> => {
  if (!options.regex) return Result.succeed(plainText(pattern, options.caseSensitive))
  try {
    const compiled = RE2JS.compile(pattern, options.caseSensitive ? 0 : RE2JS.CASE_INSENSITIVE)
    const find = (line: string): number => {
      const matcher = compiled.matcher(line)
      return matcher.find() ? matcher.start() : -1
    }
    return Result.succeed({ find, charactersAtOnce: Math.ceil(workAtOnce / compiled.programSize()) })
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    return Result.fail(error.message.replace(/^error parsing regexp: /, "").replace("`(?i)", "`"))
  }
}

/** A line that matches a pattern. */
export interface LineMatch {
  /** The index of the line, from 0. */
  readonly index: number
  /** The position of the match in the line, from 0. */
  readonly at: number
}

const maxLineLength = 300
const aroundMatch = 100

/**
 * Finds at most `wanted` matching lines, from the line with index `from` on. It stops after `charactersAtOnce`
 * characters, so that the caller can yield between two parts. `next` is the index to continue from; it is
 * `lines.length` at the end. A line longer than `charactersAtOnce` is searched only at its beginning.
 *
 * ```ts
 * findMatches(["one", "two", "tone"], pattern, 0, 10) // with "one": { matches: [{ index: 0, at: 0 }, { index: 2, at: 1 }], next: 3 }
 * ```
 */
export const findMatches = (
  lines: ReadonlyArray<string>,
  { charactersAtOnce, find }: SearchPattern,
  from: number,
  wanted: number
): { readonly matches: ReadonlyArray<LineMatch>; readonly next: number } => {
  const matches: Array<LineMatch> = []
  let charactersLeft = charactersAtOnce
  let index = from
  for (; index < lines.length && charactersLeft > 0 && matches.length < wanted; index++) {
    const line = lines[index] ?? ""
    const at = find(line.length > charactersAtOnce ? line.slice(0, charactersAtOnce) : line)
    if (at !== -1) matches.push({ index, at })
    charactersLeft -= line.length + 1
  }
  return { matches, next: index }
}

const shorten = (line: string, at: number): string => {
  if (line.length <= maxLineLength) return line
  const start = Math.max(0, at - aroundMatch)
  const end = Math.min(line.length, start + maxLineLength)
  return `${start > 0 ? "..." : ""}${line.slice(start, end)}${end < line.length ? "..." : ""} (of ${line.length} characters)`
}

/**
 * Shows matches to a model. A match is shown as `path:line: text`, and the `context` lines before and after it as
 * `line: text`. Where lines are left out, there is `--`. Line numbers begin at 1. A line above 300 characters is cut
 * around its match.
 *
 * ```ts
 * showMatches("a.txt", ["one", "two"], [{ index: 1, at: 0 }], 1) // ["1: one", "a.txt:2: two"]
 * ```
 */
export const showMatches = (
  path: string,
  lines: ReadonlyArray<string>,
  matches: ReadonlyArray<LineMatch>,
  context: number
): ReadonlyArray<string> => {
  const positions = new Map(matches.map(({ at, index }) => [index, at]))
  const rows: Array<string> = []
  let last: number | undefined
  for (const { index } of matches) {
    const first = Math.max(index - context, last === undefined ? 0 : last + 1)
    const end = Math.min(index + context, lines.length - 1)
    if (context > 0 && last !== undefined && first > last + 1) rows.push("--")
    for (let at = first; at <= end; at++) {
      const position = positions.get(at)
      const text = shorten(lines[at] ?? "", position ?? 0)
      rows.push(...(position === undefined ? numberLines([text], at + 1) : [`${path}:${at + 1}: ${text}`]))
    }
    last = Math.max(last ?? end, end)
  }
  return rows
}
