/**
 * The lines of a question, which wrap and cut to the width of a terminal.
 */
import { textWidth } from "../../domain/text/TextWidth.ts"

export type LineStyle = "added" | "removed" | "bold" | "caution" | "dim"

export interface QuestionLine {
  readonly text: string
  readonly style?: LineStyle
  /** How far the rest of a wrapped line is indented. */
  readonly hang?: number
  /** Source text: broken where the width ends, and not between words. */
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

/** A narrower column holds no words. */
const least = 12

/** The text in pieces of at most this width; a piece has at least one character. */
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

/** Where a line that is too long is broken: after the last blank that fits, or where the width ends. */
const broken = (text: string, width: number, isSource: boolean): readonly [head: string, rest: string] => {
  const [head, rest] = cut(text, width)
  if (isSource || rest === "" || rest.startsWith(" ")) return [head, isSource ? rest : rest.trimStart()]
  const blank = head.lastIndexOf(" ")
  return blank <= 0 ? [head, rest] : [head.slice(0, blank), text.slice(blank + 1)]
}

/** A blank at which no line is broken; foreign text holds none, since it is made printable. */
export const joiningBlank = "\u00a0"

/** A key in quotes stays on one line with what is typed after it: `"p src/**"`. */
export const keysJoined = (text: string): string => text.replaceAll(/"([a-z]) (?=[^\s"])/g, `"$1${joiningBlank}`)

export const wrappedLine = (
  { hang = 0, isSource = false, text }: QuestionLine,
  width: number
): ReadonlyArray<string> => {
  const rows: Array<string> = []
  const indent = " ".repeat(Math.min(hang, Math.max(0, width - least)))
  let left = text.replaceAll("\t", "    ")
  do {
    const before = rows.length === 0 ? "" : indent
    const [head, rest] = broken(left, Math.max(1, width - before.length), isSource)
    rows.push(before + head.replaceAll(joiningBlank, " "))
    left = rest
  } while (left !== "")
  return rows
}

/** The rows with their frame: it opens with the first one; `foot` closes it. */
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
