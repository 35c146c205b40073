/**
 * Ranges of lines, as references narrow files: 1-based and inclusive.
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** Lines of a file, 1-based and inclusive. */
export const LineRange = Schema.Struct({
  /** The first line, from 1. */
  from: Schema.Int,
  /** The last line, which belongs to the range. */
  to: Schema.Int
})
export type LineRange = typeof LineRange.Type

/** True when the outer range includes the whole inner one. */
export const holdsRange = (outer: LineRange, inner: LineRange): boolean =>
  outer.from <= inner.from && inner.to <= outer.to

const linesOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.replace(/\n$/, "").split("\n"))

/** Counts the lines; the final line end begins no new one. */
export const countLines = (text: string): number => linesOf(text).length

/** The lines of a range. None if it begins after the text; it may end after the text. */
export const takeLines = (text: string, { from, to }: LineRange): Option.Option<string> => {
  const lines = linesOf(text)
  return from < 1 || to < from || from > lines.length
    ? Option.none()
    : Option.some(lines.slice(from - 1, to).join("\n"))
}

/** How many first lines fit these characters, at least one. */
export const linesWithin = (text: string, characters: number): number => {
  let left = characters
  const over = linesOf(text).findIndex((line) => (left -= line.length + 1) < 0)
  return over < 0 ? Number.MAX_SAFE_INTEGER : Math.max(1, over)
}
