/**
 * Looks for patterns in one text from places that lie further and further on. What was found stays found until it is passed, so
 * that many searches together cost one reading of the text.
 */

/** Where a pattern matches: character positions, the end excluded. */
export interface Found {
  readonly start: number
  readonly end: number
}

export interface ForwardSearch {
  /** The first match that begins at or after `from`. The pattern has the flag `g`, and looks at nothing before its match. */
  readonly find: (pattern: RegExp, from: number) => Found | undefined
  /** True when there is a match between two places. */
  readonly has: (pattern: RegExp, from: number, until: number) => boolean
}

export const forwardSearch = (text: string): ForwardSearch => {
  const known = new Map<RegExp, { readonly from: number; readonly found: Found | undefined }>()
  const find = (pattern: RegExp, from: number): Found | undefined => {
    const before = known.get(pattern)
    if (before !== undefined && from >= before.from && (before.found === undefined || from <= before.found.start)) {
      return before.found
    }
    pattern.lastIndex = from
    const match = pattern.exec(text)
    const found = match === null ? undefined : { start: match.index, end: match.index + match[0].length }
    known.set(pattern, { from, found })
    return found
  }
  return { find, has: (pattern, from, until) => (find(pattern, from)?.end ?? Infinity) <= until }
}
