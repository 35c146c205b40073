/**
 * Fits text to a terminal: wraps lines between words, cuts lines, and splits text into pages. Pass text through
 * `printable` first, because invisible characters would make the width wrong.
 */
import { eastAsianWidth } from "get-east-asian-width"

const combining = /[\p{Mn}\p{Me}]/u

/** The columns of a code point: 0 for a combining mark, 2 for East Asian characters and emoji, otherwise 1. */
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

/** The columns of a text on the terminal, without colour sequences. */
export const shownWidth = (text: string): number => textWidth(text.replaceAll(colours, ""))

/**
 * Wraps a line at `columns` columns. Only a longer single word exceeds this width. Further lines begin with `indent`.
 */
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

/**
 * Wraps every line of a text. List items continue at the column of their words. Other lines continue with a small
 * indent.
 */
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

/** Cuts a text without colours to `columns` columns. A cut text ends with up to three dots. */
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

/** A part of a line with one style. Without `style`, the text is plain. */
export interface Span {
  readonly text: string
  readonly style?: TextStyle
}

export type StyledLine = ReadonlyArray<Span>

export const lineWidth = (line: StyledLine): number => line.reduce((sum, { text }) => sum + textWidth(text), 0)

export const lineText = (line: StyledLine): string => line.map(({ text }) => text).join("")

export const cutLine = (line: StyledLine, columns: number): StyledLine => {
  if (lineWidth(line) <= columns) return line
  const cut: Array<Span> = []
  let columnsLeft = columns
  for (const span of line) {
    const width = textWidth(span.text)
    if (width >= columnsLeft) {
      // A part that fits exactly is cut too. The dots then show that more text follows.
      cut.push({ ...span, text: cutText(`${span.text}${" ".repeat(columnsLeft)}.`, columnsLeft) })
      return cut
    }
    cut.push(span)
    columnsLeft -= width
  }
  return cut
}

const tabWidth = 8

const rowsOf = (line: string, columns: number): number => {
  const tabs = line.split("\t").length - 1
  return Math.max(1, Math.ceil((textWidth(line) + tabs * (tabWidth - 1)) / columns))
}

/** Splits a line that exceeds a page into pieces. */
const piecesOf = (line: string, columns: number, rows: number): ReadonlyArray<string> => {
  if (rowsOf(line, columns) <= rows) return [line]
  /* Assumes that each character takes two columns. */
  const characters = [...line]
  const most = Math.max(1, Math.floor((columns * rows) / 2))
  const count = Math.ceil(characters.length / most)
  return Array.from({ length: count }, (_, index) => characters.slice(index * most, (index + 1) * most).join(""))
}

/**
 * Splits a text into pages of at most `rows` rows. A line longer than a page is split too. Each page ends with a line
 * break.
 */
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
