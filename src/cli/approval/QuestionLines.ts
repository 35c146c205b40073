/**
 * Wraps and cuts the lines of a question to the width of a terminal.
 */
import { textWidth } from "../../domain/text/TextWidth.ts"

export type LineStyle = "added" | "removed" | "bold" | "caution" | "dim"

export interface QuestionLine {
  readonly text: string
  readonly style?: LineStyle
  /** The indent of the second and later rows, in columns. */
  readonly hang?: number
  /** True for source text, which is broken at the exact width instead of between words. */
  readonly isSource?: boolean
}

export interface ScreenSize {
  readonly columns: number
  readonly rows: number
  readonly isColoured: boolean
}

const codes: Readonly<Record<LineStyle, readonly [open: number, close: number]>> = {
  added: [32, 39],
  removed: [31, 39],
  bold: [1, 22],
  caution: [33, 39],
  dim: [2, 22]
}

const painted = (text: string, style: LineStyle | undefined, isColoured: boolean): string => {
  if (style === undefined || !isColoured) return text
  const [open, close] = codes[style]
  return `\u001b[${open}m${text}\u001b[${close}m`
}

/** The smallest width for wrapped lines, in columns. */
const least = 12

/** Splits off the beginning of a text: at most this width, but at least one character. */
const cut = (text: string, width: number): readonly [head: string, rest: string] => {
  let used = 0
  let end = 0
  for (const character of text) {
    used += textWidth(character)
    if (used > width && end > 0) break
    end += character.length
  }
  return [text.slice(0, end), text.slice(end)]
}

/** Splits a long line after the last blank that fits, or at the width. */
const broken = (text: string, width: number, isSource: boolean): readonly [head: string, rest: string] => {
  const [head, rest] = cut(text, width)
  if (isSource || rest === "" || rest.startsWith(" ")) return [head, isSource ? rest : rest.trimStart()]
  const blank = head.lastIndexOf(" ")
  return blank <= 0 ? [head, rest] : [head.slice(0, blank), text.slice(blank + 1)]
}

/** A no-break blank, at which lines are not split. `printable` replaces it in foreign text. */
export const joiningBlank = "\u00a0"

/** Keeps a key and its argument inside quotes on one line: `"p src/**"`. */
export const keysJoined = (text: string): string => text.replaceAll(/"([a-z]) (?=[^\s"])/g, `"$1${joiningBlank}`)

export const wrappedLine = (
  { hang = 0, isSource = false, text }: QuestionLine,
  width: number
): ReadonlyArray<string> => {
  const rows: Array<string> = []
  const indent = " ".repeat(Math.min(hang, Math.max(0, width - least)))
  let remaining = text.replaceAll("\t", "    ")
  do {
    const before = rows.length === 0 ? "" : indent
    const [head, rest] = broken(remaining, Math.max(1, width - before.length), isSource)
    rows.push(before + head.replaceAll(joiningBlank, " "))
    remaining = rest
  } while (remaining !== "")
  return rows
}

/** Draws a frame around `body` and `foot`. */
export const framed = (
  body: ReadonlyArray<QuestionLine>,
  foot: ReadonlyArray<QuestionLine>,
  { columns, isColoured }: ScreenSize
): ReadonlyArray<string> => {
  const width = Math.max(least, columns - 3)
  const rows = (lines: ReadonlyArray<QuestionLine>) =>
    lines.flatMap((line) => wrappedLine(line, width).map((text) => painted(text, line.style, isColoured)))
  return [
    ...rows(body).map((row, index) => `${index === 0 ? "╭" : "│"} ${row}`.trimEnd()),
    ...rows(foot).map((row, index) => `${index === 0 ? "╰" : " "} ${row}`)
  ]
}

export const rowCount = (lines: ReadonlyArray<QuestionLine>, columns: number): number =>
  lines.reduce((sum, line) => sum + wrappedLine(line, Math.max(least, columns - 3)).length, 0)
