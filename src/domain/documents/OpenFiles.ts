/**
 * Lists the files that a task names and no call has read or changed yet.
 */
import { languageOf } from "../files/Language.ts"
import { type CallOutcome, pathOf } from "../tools/ToolCall.ts"
import { showsFile } from "./CompactedTurns.ts"

/** The most open files that a reply names. */
const mostOpen = 6

/** A word in backticks or with a folder that has a file extension. */
const written = /`([\w.@-]+)`|(?<![\w/.:@*-])((?:[\w.@-]+\/)+[\w.@-]*\w)(?![\w/*]|\.\w)/g

const isFile = (path: string): boolean => /\.\w+$/.test(path) && languageOf(path) !== ""

/** The paths that a text writes, each once. */
export const namedFiles = (text: string): ReadonlyArray<string> => {
  const paths = [...text.matchAll(written)].map(([, quoted, path]) => quoted ?? path ?? "")
  return [...new Set(paths.map((path) => path.replace(/^\.\//, "")).filter(isFile))]
}

const isSame = (a: string, b: string): boolean => a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`)

/** Names the open files: neither in the prompt nor in any call. Empty without open files. */
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
