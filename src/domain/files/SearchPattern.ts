/**
 * What a search looks for, as a function on lines: a plain text, or a regular expression of an engine that takes time
 * linear to the line. Called by the tool `search_files`.
 */
import * as Result from "effect/Result"
import { RE2JS, RE2JSException } from "re2js"

export interface SearchPattern {
  /** Where the first match in a line begins; -1 without one. */
  readonly find: (line: string) => number
  /** So many characters take a few milliseconds, and less than a second at the very worst. */
  readonly charactersAtOnce: number
}

/** Steps of an expression times characters of a line. */
const workAtOnce = 10_000_000

const plainText = (pattern: string, caseSensitive: boolean): SearchPattern => {
  if (caseSensitive) return { find: (line) => line.indexOf(pattern), charactersAtOnce: workAtOnce }
  const sought = pattern.toLowerCase()
  return { find: (line) => line.toLowerCase().indexOf(sought), charactersAtOnce: workAtOnce }
}

/** Reads a pattern. Fails with the problem of a regular expression. */
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
