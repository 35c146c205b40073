/** The list that the program keeps of files which the words of a task name, and which no call has looked at or changed yet. */
import { languageOf } from "../files/Language.ts"
import { type CallOutcome, pathOf } from "../tools/ToolCall.ts"
import { showsFile } from "./CompactedTurns.ts"

/** So many open files are named in a reply. */
const mostOpen = 6

/** A word with a folder or in backticks that has the ending of a file. */
const written = /`([\w.@-]+)`|(?<![\w/.:@*-])((?:[\w.@-]+\/)+[\w.@-]*\w)(?![\w/*]|\.\w)/g

const isFile = (path: string): boolean => /\.\w+$/.test(path) && languageOf(path) !== ""

/** The paths that a text writes, each once. */
export const namedFiles = (text: string): ReadonlyArray<string> => {
  const paths = [...text.matchAll(written)].map(([, quoted, path]) => quoted ?? path ?? "")
  return [...new Set(paths.map((path) => path.replace(/^\.\//, "")).filter(isFile))]
}

const isSame = (a: string, b: string): boolean => a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`)

/** Says which named files are open: not shown at first (`shown`), and in no call. Empty when all were looked at. */
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
