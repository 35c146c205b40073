/**
 * Places in a text at which a cursor may stand: between characters as a person sees them, at the ends of words and of
 * lines.
 */

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" })

/** The characters of a text as a person sees them: letters with their marks, whole emoji. */
export const graphemesOf = (text: string): ReadonlyArray<string> =>
  Array.from(segmenter.segment(text), ({ segment }) => segment)

/** Marks and joiners make characters of at most about this length. */
const longest = 64

/** The place one character before. */
export const before = (text: string, at: number): number => {
  const from = Math.max(0, at - longest)
  return at - (graphemesOf(text.slice(from, at)).at(-1)?.length ?? 0)
}

/** The place one character after. */
export const after = (text: string, at: number): number =>
  at + (graphemesOf(text.slice(at, at + longest))[0]?.length ?? 0)

const wordEnd = /[\p{L}\p{N}_]+[^\p{L}\p{N}_]*$/u
const wordStart = /^[^\p{L}\p{N}_]*[\p{L}\p{N}_]+/u

/** The beginning of the word before a place. */
export const wordBefore = (text: string, at: number): number => wordEnd.exec(text.slice(0, at))?.index ?? 0

/** The end of the word after a place. */
export const wordAfter = (text: string, at: number): number => {
  const found = wordStart.exec(text.slice(at))
  return found === null ? text.length : at + found[0].length
}

/** The place after the blank before a place, as Ctrl-W deletes. */
export const blankBefore = (text: string, at: number): number => /\S+\s*$/.exec(text.slice(0, at))?.index ?? 0

export const lineStart = (text: string, at: number): number => text.lastIndexOf("\n", at - 1) + 1

export const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf("\n", at)
  return end === -1 ? text.length : end
}

/** The same column in the line above or below; nothing when there is no such line. */
export const verticallyFrom = (text: string, at: number, by: -1 | 1): number | undefined => {
  const start = lineStart(text, at)
  const column = graphemesOf(text.slice(start, at)).length
  if (by === -1 && start === 0) return undefined
  if (by === 1 && lineEnd(text, at) === text.length) return undefined
  const other = by === -1 ? lineStart(text, start - 1) : lineEnd(text, at) + 1
  return (
    other +
    graphemesOf(text.slice(other, lineEnd(text, other)))
      .slice(0, column)
      .join("").length
  )
}
