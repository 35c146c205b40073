/**
 * How wide text is on a terminal, and how it is made to fit: lines broken between words, lines cut at a width, lines
 * of styled pieces, pages of lines. Widths are those of text that `printable` has made safe: nothing invisible is left in it.
 */
import { eastAsianWidth } from "get-east-asian-width"

const combining = /[\p{Mn}\p{Me}]/u

/** The columns that one code point takes: 0 for a mark on the character before it, 2 for East Asian text and emoji. */
const widthOf = (character: string): number => {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x300) return 1
  return combining.test(character) ? 0 : eastAsianWidth(code)
}

export const textWidth = (text: string): number => {
  let width = 0
  for (const character of text) width += widthOf(character)
  return width
}

// oxlint-disable-next-line no-control-regex -- the sequences that set colours begin with a control character
const colours = /\u001b\[[0-9;]*m/g

/** The columns of a string that may be coloured. */
export const shownWidth = (text: string): number => textWidth(text.replaceAll(colours, ""))

/** One line as several, none wider than `columns` unless one word is; the further ones begin with `indent`. */
export const wrapLine = (line: string, columns: number, indent: string): ReadonlyArray<string> => {
  if (shownWidth(line) <= columns) return [line]
  const [, blanks = "", text = ""] = /^(\s*)([^]*)$/.exec(line) ?? []
  const lines: Array<string> = []
  const [first = "", ...words] = text.split(" ")
  let current = `${blanks}${first}`
  let width = shownWidth(current)
  for (const word of words) {
    const more = shownWidth(word) + 1
    if (width + more <= columns) {
      current += ` ${word}`
      width += more
    } else {
      lines.push(current.trimEnd())
      current = `${indent}${word}`
      width = shownWidth(current)
    }
  }
  return [...lines, current]
}

/** Every line of a string as it fits a terminal; what goes on of an item stands below its words, and of other lines a little farther in. */
export const wrapText = (text: string, columns: number | undefined): string =>
  columns === undefined
    ? text
    : text
        .split("\n")
        .flatMap((line) => {
          const [lead = "", mark = ""] = /^\s*([-*]\s+|\d+[.)]\s+)?/.exec(line) ?? []
          return wrapLine(line, columns, " ".repeat(lead.length + (mark === "" ? 2 : 0)))
        })
        .join("\n")

/** The beginning of a string without colours that has at most so many columns; what is cut ends with `...`, or with less. */
export const cutText = (text: string, columns: number): string => {
  if (textWidth(text) <= columns) return text
  const end = columns < 3 ? "" : "..."
  const available = columns - end.length
  let cut = ""
  let width = 0
  for (const character of text) {
    width += textWidth(character)
    if (width > available) break
    cut += character
  }
  return `${cut}${end}`
}

export type TextStyle = "bold" | "dim" | "red" | "green" | "yellow" | "cyan"

/** A piece of a line; without a style it is plain. */
export interface Span {
  readonly text: string
  readonly style?: TextStyle
}

export type StyledLine = ReadonlyArray<Span>

export const lineWidth = (line: StyledLine): number => line.reduce((sum, { text }) => sum + textWidth(text), 0)

export const lineText = (line: StyledLine): string => line.map(({ text }) => text).join("")

/** The line with at most so many columns; what does not fit is cut at the end. */
export const cutLine = (line: StyledLine, columns: number): StyledLine => {
  if (lineWidth(line) <= columns) return line
  const cut: Array<Span> = []
  let columnsLeft = columns
  for (const span of line) {
    const width = textWidth(span.text)
    if (width >= columnsLeft) {
      // Also a piece that fits exactly: more follows, so that the sign is due.
      cut.push({ ...span, text: cutText(`${span.text}${" ".repeat(columnsLeft)}.`, columnsLeft) })
      return cut
    }
    cut.push(span)
    columnsLeft -= width
  }
  return cut
}

const tabWidth = 8

/** The rows that a line takes when the terminal breaks it. */
const rowsOf = (line: string, columns: number): number => {
  const tabs = line.split("\t").length - 1
  return Math.max(1, Math.ceil((textWidth(line) + tabs * (tabWidth - 1)) / columns))
}

/** Pieces of a line that are too long for a page of its own. */
const piecesOf = (line: string, columns: number, rows: number): ReadonlyArray<string> => {
  if (rowsOf(line, columns) <= rows) return [line]
  /* Half of the columns: every character may be two wide. */
  const characters = [...line]
  const most = Math.max(1, Math.floor((columns * rows) / 2))
  const count = Math.ceil(characters.length / most)
  return Array.from({ length: count }, (_, index) => characters.slice(index * most, (index + 1) * most).join(""))
}

/** The pages of a string; together they are the string, but that a line longer than a page is broken. */
export const pagesOf = (
  text: string,
  { columns, rows }: { readonly columns: number; readonly rows: number }
): ReadonlyArray<string> => {
  const pages: Array<string> = []
  let page: Array<string> = []
  let used = 0
  const lines = text.replace(/\n$/, "").split("\n")
  for (const line of lines.flatMap((one) => piecesOf(one, columns, rows))) {
    const needed = rowsOf(line, columns)
    if (used + needed > rows && page.length > 0) {
      pages.push(`${page.join("\n")}\n`)
      page = []
      used = 0
    }
    page.push(line)
    used += needed
  }
  return [...pages, `${page.join("\n")}\n`]
}
