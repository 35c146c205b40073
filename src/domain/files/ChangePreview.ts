/**
 * What a write would change, as a unified diff of bounded length. The gate shows it, write_file returns it.
 */
import * as TextDiff from "effect/TextDiff"

/** More edits than this in one region are shown as a whole replacement: the search would take too long. */
const maxEdits = 2000

const shownHead = 200
const shownTail = 100

const shorten = (line: string): string => {
  const missing = line.length - shownHead - shownTail
  if (missing <= 0) return line
  return `${line.slice(0, shownHead)} ... (${missing} of ${line.length} characters of the line not shown) ... ${line.slice(-shownTail)}`
}

/**
 * A unified diff of at most `maxLines` lines of bounded length; what is left out is counted where it is missing. Empty
 * when equal.
 */
export const changePreview = (path: string, before: string | undefined, after: string, maxLines: number): string => {
  const edits = TextDiff.lines(before ?? "", after, { maxEdits })
  const fromFile = before === undefined ? "/dev/null" : path
  const lines = TextDiff.unified(edits, { fromFile, toFile: path }).split("\n").map(shorten)
  if (lines.at(-1) === "") lines.pop()
  if (lines.length <= maxLines) return lines.join("\n")
  return [...lines.slice(0, maxLines), `(${lines.length - maxLines} more lines of the diff are not shown)`].join("\n")
}
