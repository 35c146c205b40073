/**
 * Cuts a string into pages that fit a screen, so that every line of it was seen. Called by services/approvals/TerminalQuestion.
 */
import { textWidth } from "./TextWidth.ts"

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
