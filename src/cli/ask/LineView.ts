/**
 * How an input line looks at a width: its rows, where its cursor stands, and what to write to a terminal so that it shows
 * them in place of what it showed before.
 */
import { harmless, printable } from "../../domain/text/Printable.ts"
import { textWidth } from "../../domain/text/TextWidth.ts"
import { graphemesOf } from "./TextCursor.ts"

/** What is drawn: rows that fit the width, and the place of the cursor in them. */
export interface LineView {
  readonly rows: ReadonlyArray<string>
  readonly row: number
  readonly column: number
}

/** The size of the part of a screen that the line may fill. */
export interface Size {
  readonly columns: number
  readonly rows: number
}

const invisible = /\p{Default_Ignorable_Code_Point}/gu
const hanging = "  "
const leastColumns = 8

const columnsOf = (text: string): number => textWidth(text.replace(invisible, ""))

/** One character as it is shown; what cannot be seen is shown by its number. */
const shownAs = (grapheme: string): string => {
  if (grapheme === "\t") return "    "
  const [first = ""] = grapheme
  return printable(first) === first ? harmless(grapheme) : printable(grapheme)
}

/** The rows around the cursor that fit the screen. */
const windowOf = (view: LineView, most: number): LineView => {
  if (view.rows.length <= most) return view
  const from = Math.min(Math.max(0, view.row - Math.floor(most / 2)), view.rows.length - most)
  return { ...view, rows: view.rows.slice(from, from + most), row: view.row - from }
}

/** Lays a text out after its prompt. The last column stays free, so that no terminal wraps a row by itself. */
export const layOut = (
  { cursor, text }: { readonly cursor: number; readonly text: string },
  { columns, rows: height }: Size,
  prompt = "> "
): LineView => {
  const most = Math.max(leastColumns, columns) - 1
  const rows: Array<string> = []
  let current = prompt
  let width = columnsOf(prompt)
  let at = 0
  let place: Pick<LineView, "column" | "row"> | undefined
  const breakRow = (): void => {
    rows.push(current)
    current = hanging
    width = hanging.length
  }
  for (const grapheme of graphemesOf(text)) {
    const isBreak = grapheme === "\n"
    const shown = isBreak ? "" : shownAs(grapheme)
    const needed = columnsOf(shown)
    if (!isBreak && width + needed > most) breakRow()
    if (at <= cursor && cursor < at + grapheme.length) place = { row: rows.length, column: width }
    at += grapheme.length
    current += shown
    width += needed
    if (isBreak) breakRow()
  }
  if (place === undefined) place = { row: rows.length, column: Math.min(width, most) }
  rows.push(current)
  return windowOf({ rows, ...place }, Math.max(1, height - 1))
}

/** The rows of a message that stays on the screen: all, or the first ones when they are more than the screen holds. */
export const settled = (text: string, size: Size): LineView => {
  const { rows } = layOut({ text, cursor: text.length }, { ...size, rows: Number.MAX_SAFE_INTEGER })
  const most = Math.max(3, size.rows - 4)
  const shown = rows.length <= most ? rows : [...rows.slice(0, most), `${hanging}(${rows.length - most} more lines)`]
  return { rows: shown, row: shown.length - 1, column: 0 }
}

const rowsAt = (row: string, columns: number): number => Math.max(1, Math.ceil(columnsOf(row) / columns))

/** How far the cursor is below the first row of a view, on a terminal of this width, which may have wrapped its rows. */
const depthOf = ({ column, row, rows }: LineView, columns: number): number =>
  rows.slice(0, row).reduce((sum, one) => sum + rowsAt(one, columns), 0) + Math.floor(column / Math.max(1, columns))

const up = (lines: number): string => (lines > 0 ? `\u001b[${lines}A` : "")
const right = (columns: number): string => (columns > 0 ? `\u001b[${columns}C` : "")

/** Shows a view in place of the one before, on a terminal that is `columns` wide now. */
export const draw = (view: LineView, before: LineView | undefined, columns: number): string =>
  [
    "\r",
    before === undefined ? "" : up(depthOf(before, columns)),
    view.rows.map((row) => `${row}\u001b[K`).join("\r\n"),
    "\u001b[J",
    up(view.rows.length - 1 - view.row),
    "\r",
    right(view.column)
  ].join("")
