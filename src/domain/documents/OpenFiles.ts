/**
 * Lists the files that a task names and no call has read or changed yet.
 */
import { languageOf } from "../files/Language.ts"
import { type CallOutcome, pathOf } from "../tools/ToolCall.ts"
import { showsFile } from "./CompactedTurns.ts"

/** A reply names at most this many unread files. */
const mostOpen = 6

/** A path in a text: a word in backticks, or a word with a folder. */
const written = /`([\w.@-]+)`|(?<![\w/.:@*-])((?:[\w.@-]+\/)+[\w.@-]*\w)(?![\w/*]|\.\w)/g

const isFile = (path: string): boolean => /\.\w+$/.test(path) && languageOf(path) !== ""

/** The paths that occur in a text, each once. */
export const namedFiles = (text: string): ReadonlyArray<string> => {
  const paths = [...text.matchAll(written)].map(([, quoted, path]) => quoted ?? path ?? "")
  return [...new Set(paths.map((path) => path.replace(/^\.\//, "")).filter(isFile))]
}

const isSame = (a: string, b: string): boolean => a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`)

/** Names the files that the prompt does not show and no call has touched. Empty if there are no such files. */
export const openFilesNote = (
  named: ReadonlyArray<string>,
  promptText: string,
  outcomes: ReadonlyArray<CallOutcome>
): string => {
  const looked = outcomes.filter(({ result }) => result.success).map(({ call }) => pathOf(call))
  const open = named.filter((path) => !showsFile(promptText, path) && !looked.some((other) => isSame(path, other)))
  const more = open.length > mostOpen ? ` and ${open.length - mostOpen} more` : ""
  return open.length === 0
    ? ""
    : ` Named in the task, and neither read nor changed yet: ${open.slice(0, mostOpen).join(", ")}${more}.`
}
