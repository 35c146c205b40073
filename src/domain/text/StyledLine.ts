/**
 * Lines of a screen as values: pieces of text, each with a style that a terminal may show or not.
 */
import { textWidth } from "./TextWidth.ts"
import { cutText } from "./WrapText.ts"

export type TextStyle = "bold" | "dim" | "red" | "green" | "yellow" | "cyan"

/** A piece of a line; without a style it is plain. */
export interface Span {
  readonly text: string
  readonly style?: TextStyle
}

export type StyledLine = ReadonlyArray<Span>

/** The columns of a line. */
export const lineWidth = (line: StyledLine): number => line.reduce((sum, { text }) => sum + textWidth(text), 0)

/** The text of a line without its styles. */
export const lineText = (line: StyledLine): string => line.map(({ text }) => text).join("")

/** The line with at most so many columns; what does not fit is cut at the end. */
export const cutLine = (line: StyledLine, columns: number, sign?: string): StyledLine => {
  if (lineWidth(line) <= columns) return line
  const cut: Array<Span> = []
  let left = columns
  for (const span of line) {
    const width = textWidth(span.text)
    if (width >= left) {
      // Also a piece that fits exactly: more follows, so that the sign is due.
      cut.push({ ...span, text: cutText(`${span.text}${" ".repeat(left)}.`, left, sign) })
      return cut
    }
    cut.push(span)
    left -= width
  }
  return cut
}
