/** Lines of a string by number, as references narrow files: 1-based, inclusive. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** Lines of a file, 1-based and inclusive. */
export const LineRange = Schema.Struct({ from: Schema.Int, to: Schema.Int })
export type LineRange = typeof LineRange.Type

/** True when all lines of a range stand in another one. */
export const holdsRange = (outer: LineRange, inner: LineRange): boolean =>
  outer.from <= inner.from && inner.to <= outer.to

const linesOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.replace(/\n$/, "").split("\n"))

/** How many lines a string has; the line end at its very end begins no new one. */
export const countLines = (text: string): number => linesOf(text).length

/** The lines of a range; nothing when it begins outside of the text. A range may end behind the last line. */
export const takeLines = (text: string, { from, to }: LineRange): Option.Option<string> => {
  const lines = linesOf(text)
  return from < 1 || to < from || from > lines.length
    ? Option.none()
    : Option.some(lines.slice(from - 1, to).join("\n"))
}

/** How many lines at the beginning of a string have so many characters, at least one. */
export const linesWithin = (text: string, characters: number): number => {
  let left = characters
  const over = linesOf(text).findIndex((line) => (left -= line.length + 1) < 0)
  return over < 0 ? Number.MAX_SAFE_INTEGER : Math.max(1, over)
}
