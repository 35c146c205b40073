/** Ranges of lines, with which references name a part of a file. Both ends are inclusive and count from 1. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** Consecutive lines of a file, at least one. */
export const LineRange = Schema.Struct({
  /** The first line, from 1. */
  from: Schema.Int,
  /** The last line of the range, inclusive. */
  to: Schema.Int
})
export type LineRange = typeof LineRange.Type

export const holdsRange = (outer: LineRange, inner: LineRange): boolean =>
  outer.from <= inner.from && inner.to <= outer.to

/** Joins ranges that overlap or follow each other, in order and without repetition. */
export const joinRanges = (ranges: ReadonlyArray<LineRange>): ReadonlyArray<LineRange> => {
  const joined: Array<LineRange> = []
  for (const range of ranges.toSorted((a, b) => a.from - b.from)) {
    const last = joined.at(-1)
    if (last === undefined || range.from > last.to + 1) joined.push(range)
    else joined.splice(-1, 1, { from: last.from, to: Math.max(last.to, range.to) })
  }
  return joined
}

const linesOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.replace(/\n$/, "").split("\n"))

/** The number of lines of a text. A final line end begins no new line. */
export const countLines = (text: string): number => linesOf(text).length

/**
 * The text of a range of lines. None if the range begins after the last line of the text. A range may end after the
 * last line.
 */
export const takeLines = (text: string, { from, to }: LineRange): Option.Option<string> => {
  const lines = linesOf(text)
  return from < 1 || to < from || from > lines.length
    ? Option.none()
    : Option.some(lines.slice(from - 1, to).join("\n"))
}

/** How many of the first lines fit into this many characters, at least 1. A very large number if all fit. */
export const linesWithin = (text: string, characters: number): number => {
  let left = characters
  const over = linesOf(text).findIndex((line) => (left -= line.length + 1) < 0)
  return over < 0 ? Number.MAX_SAFE_INTEGER : Math.max(1, over)
}
