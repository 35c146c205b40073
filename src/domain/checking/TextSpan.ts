/**
 * Finds the text that an issue or a repair is about in the document it was found in. Whoever shows a place to a person
 * or an editor asks here: the text of `check`, SARIF.
 */
import type { Where } from "../findings/Issue.ts"

/** A part of a document. Lines and columns are 1-based; columns count UTF-16 code units, `endColumn` is excluded. */
export interface TextSpan {
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
}

/** The lines of a document as its readers count them. */
export const linesOf = (text: string): ReadonlyArray<string> => text.replace(/^\uFEFF/, "").split(/\r\n?|\n/)

/** How far below the place a quote is looked for: a field or a block goes on for some lines. */
const reach = 40

const wholeLine = (lines: ReadonlyArray<string>, line: number): TextSpan | undefined => {
  const text = lines[line - 1]
  if (text === undefined) return undefined
  const column = text.length - text.trimStart().length + 1
  return { line, column, endLine: line, endColumn: Math.max(column, text.trimEnd().length + 1) }
}

/** Where a quote of several lines ends: as far down as the document repeats it. */
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
 * The span of the quote, looked for from the line on; without one, or when the document spells it differently, the line
 * without the blanks around it. Nothing when the finding is about the document as a whole.
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
