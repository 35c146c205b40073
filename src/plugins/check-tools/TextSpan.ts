/** Finds the part of a document that a finding is about. Shortens a line to a width, and marks this part below it. */
import type { Where } from "../../kit/documents.ts"
import { printable, textWidth } from "../../kit/text.ts"

/**
 * A part of a document. Lines and columns count from 1, columns in UTF-16 code units. `endColumn` is the first column
 * after the part.
 */
export interface TextSpan {
  /** The first line, from 1. */
  readonly line: number
  /** The first column, from 1. */
  readonly column: number
  /** The last line, from 1. */
  readonly endLine: number
  /** The first column after the part. */
  readonly endColumn: number
}

/** The lines of a document, split as its parser does, so that line numbers agree. */
export const linesOf = (text: string): ReadonlyArray<string> => text.replace(/^\uFEFF/, "").split(/\r\n?|\n/)

/**
 * How many lines are searched for a quotation, beginning with the finding's line. A field or a block may continue on
 * later lines.
 */
const reach = 40

const wholeLine = (lines: ReadonlyArray<string>, line: number): TextSpan | undefined => {
  const text = lines[line - 1]
  if (text === undefined) return undefined
  const column = text.length - text.trimStart().length + 1
  return { line, column, endLine: line, endColumn: Math.max(column, text.trimEnd().length + 1) }
}

/**
 * Finds the end of a quotation with several lines. If only some lines of `rest`, from the first on, are in the
 * document, returns the end of the last one found. Undefined if the first one is missing.
 */
const endOf = (
  lines: ReadonlyArray<string>,
  line: number,
  rest: ReadonlyArray<string>
): Pick<TextSpan, "endLine" | "endColumn"> | undefined => {
  const repeated = rest.findIndex((quoted, index) => lines[line + index]?.includes(quoted) !== true)
  const last = rest[(repeated < 0 ? rest.length : repeated) - 1]
  if (last === undefined) return undefined
  const endLine = line + (repeated < 0 ? rest.length : repeated)
  return { endLine, endColumn: (lines[endLine - 1]?.indexOf(last) ?? 0) + last.length + 1 }
}

/**
 * Finds the quotation of a finding, from the finding's line on. If there is none, returns the finding's line without
 * the blanks around it. Undefined if the finding is about the whole document.
 */
export const locate = (
  lines: ReadonlyArray<string>,
  finding: { readonly where: Where; readonly quote?: string }
): TextSpan | undefined => {
  const { line } = finding.where
  const [first = "", ...rest] = linesOf(finding.quote?.trim() ?? "")
  if (first !== "") {
    const from = (line ?? 1) - 1
    const to = line === undefined ? lines.length : Math.min(lines.length, from + reach)
    for (let index = from; index < to; index += 1) {
      const at = lines[index]?.indexOf(first) ?? -1
      if (at < 0) continue
      const start = { line: index + 1, column: at + 1, endLine: index + 1, endColumn: at + first.length + 1 }
      return { ...start, ...endOf(lines, index + 1, rest) }
    }
  }
  return line === undefined ? undefined : wholeLine(lines, line)
}

interface Cell {
  readonly text: string
  readonly width: number
  readonly marked: boolean
}

const ellipsis = "..."
const tabWidth = 4

/** The characters of a line on the screen. A tab becomes blanks up to the next tab stop. */
const cellsOf = (line: string, from: number, start: number, end: number): ReadonlyArray<Cell> => {
  const cells: Array<Cell> = []
  let index = from
  let column = 0
  for (const character of line) {
    const text = character === "\t" ? " ".repeat(tabWidth - (column % tabWidth)) : printable(character)
    const width = textWidth(text)
    cells.push({ text, width, marked: index < end && index + character.length > start })
    column += width
    index += character.length
  }
  return cells
}

const sum = (cells: ReadonlyArray<Cell>): number => cells.reduce((total, { width }) => total + width, 0)

/**
 * Counts characters from `from` in the direction of `step`. Returns the index of the first one that no longer fits into
 * the width.
 */
const fitting = (cells: ReadonlyArray<Cell>, from: number, step: 1 | -1, space: number): number => {
  let remaining = space
  let index = from
  for (let cell = cells[index]; cell !== undefined && cell.width <= remaining; cell = cells[index]) {
    remaining -= cell.width
    index += step
  }
  return index
}

/** The part of a line to show: the start of the mark, some text before it, and as much text after it as fits. */
const windowOf = (cells: ReadonlyArray<Cell>, width: number): readonly [first: number, last: number] => {
  if (sum(cells) <= width) return [0, cells.length]
  const marked = Math.max(
    0,
    cells.findIndex((cell) => cell.marked)
  )
  const markWidth = sum(cells.filter((cell) => cell.marked))
  const space = width - 2 * ellipsis.length
  const before = Math.max(Math.floor(space / 4), Math.floor((space - markWidth) / 2))
  const first = fitting(cells, marked - 1, -1, Math.min(before, space - 1)) + 1
  const last = fitting(cells, first, 1, space + (first === 0 ? ellipsis.length : 0))
  if (last < cells.length) return [first, last]
  // If little text follows the mark, more is shown before it.
  return [fitting(cells, cells.length - 1, -1, space + ellipsis.length) + 1, cells.length]
}

/**
 * Shortens a line to a width, and marks the part from `start` to `end` (UTF-16 offsets), which stays visible. An empty
 * part gets one mark.
 */
export const excerptLine = (
  line: string,
  start: number,
  end: number,
  width: number
): { readonly source: string; readonly marks: string } => {
  const near = 4 * width
  const from = Math.max(0, start - near)
  const part = line.slice(from, start + near)
  const cells = cellsOf(part, from, start, Math.max(end, start + 1))
  const [first, last] = windowOf(cells, width)
  const visible = cells.slice(first, last)
  const lead = first > 0 || from > 0 ? ellipsis : ""
  const tail = last < cells.length || from + part.length < line.length ? ellipsis : ""
  const at = visible.findIndex((cell) => cell.marked)
  const before = textWidth(lead) + sum(at < 0 ? visible : visible.slice(0, at))
  const marked = sum(visible.filter((cell) => cell.marked))
  return {
    source: `${lead}${visible.map((cell) => cell.text).join("")}${tail}`,
    marks: `${" ".repeat(before)}${"^".repeat(Math.max(1, marked))}`
  }
}
