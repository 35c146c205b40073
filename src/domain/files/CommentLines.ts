/**
 * Finds the comment lines of a source file, including documentation strings.
 */
import { isProgram } from "./Declarations.ts"

const lineComment = /^\s*(?:\/\/|#(?!\s*(?:include|define|if|el|endif|undef|pragma)\b|!\[|\[)|--\s|;;)/
const openings: ReadonlyArray<readonly [open: RegExp, close: string]> = [
  [/^\s*[rRuUbB]*"""/, '"""'],
  [/^\s*[rRuUbB]*'''/, "'''"],
  [/^\s*\/\*/, "*/"],
  [/^=begin\b/, "=end"]
]

export const commentLines = (lines: ReadonlyArray<string>, language: string): ReadonlySet<number> => {
  const indexes = new Set<number>()
  if (!isProgram(language)) return indexes
  let close: string | undefined
  for (const [index, line] of lines.entries()) {
    if (close !== undefined) {
      indexes.add(index)
      if (line.includes(close)) close = undefined
      continue
    }
    const [opening, end] = openings.find(([open]) => open.test(line)) ?? []
    if (opening !== undefined && end !== undefined) {
      indexes.add(index)
      if (!line.replace(opening, "").includes(end)) close = end
    } else if (lineComment.test(line)) indexes.add(index)
  }
  return indexes
}

/** The shortest comment, in lines, that an excerpt leaves out. */
const leastComment = 3

/**
 * The indexes of all lines in groups of at least `leastComment` comment lines. Blank lines inside a group belong to it
 * and count.
 */
export const longComments = (lines: ReadonlyArray<string>, comments: ReadonlySet<number>): ReadonlySet<number> => {
  const indexes = new Set<number>()
  let run: Array<number> = []
  for (let index = 0; index <= lines.length; index++) {
    if (index < lines.length && (comments.has(index) || (run.length > 0 && lines[index]?.trim() === "")))
      run.push(index)
    else {
      if (run.length >= leastComment) for (const one of run) indexes.add(one)
      run = []
    }
  }
  return indexes
}
