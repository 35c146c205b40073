/**
 * Breaks lines between words at the width of a terminal, and cuts what has to stay on one line. Colours take no columns.
 */
import { textWidth } from "./TextWidth.ts"

// oxlint-disable-next-line no-control-regex -- the sequences that set colours begin with a control character
const colours = /\u001b\[[0-9;]*m/g

/** The columns of a text that may be coloured. */
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

/** Every line of a text as it fits a terminal; further lines are indented a little more than the first. */
export const wrapText = (text: string, columns: number | undefined): string =>
  columns === undefined
    ? text
    : text
        .split("\n")
        .flatMap((line) => wrapLine(line, columns, `${/^\s*/.exec(line)?.[0] ?? ""}  `))
        .join("\n")

/** The beginning of a text without colours that has at most so many columns; what is cut ends with `...`, or with less. */
export const cutText = (text: string, columns: number, sign = "..."): string => {
  if (textWidth(text) <= columns) return text
  const end = textWidth(sign) <= columns ? sign : ""
  const room = Math.max(0, columns - textWidth(end))
  let cut = ""
  let width = 0
  for (const character of text) {
    width += textWidth(character)
    if (width > room) break
    cut += character
  }
  return `${cut}${end}`
}
