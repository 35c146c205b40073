/** Reminds the model of files that its task names and its calls have not read or changed. */
import { languageOf } from "../files/Language.ts"
import { isTestFile } from "../files/TestFile.ts"
import { type CallOutcome, isChange, pathOf, pathsOf } from "../tools/ToolCall.ts"
import { showsFile } from "./CompactedTurns.ts"

/** A reply names at most this many unread files. */
const mostOpen = 6

/** A path in a text: a word in backticks, a word with a folder, or the name of a page such as `CHANGES.md`. */
const written = /`([\w.@-]+)`|(?<![\w/.:@*-])((?:[\w.@-]+\/)+[\w.@-]*\w|[\w-]+\.(?:md|rst|txt|adoc))(?![\w/*]|\.\w)/g

const isFile = (path: string): boolean => /\.\w+$/.test(path) && languageOf(path) !== ""

export const namedFiles = (text: string): ReadonlyArray<string> => {
  const paths = [...text.matchAll(written)].map(([, quoted, path]) => quoted ?? path ?? "")
  return [...new Set(paths.map((path) => path.replace(/^\.\//, "")).filter(isFile))]
}

/** True for a text that asks for a new or changed test. */
export const asksForTest = (text: string): boolean =>
  /\b(?:add|write|extend|cover|change|update)\w*\b[^.\n]{0,60}\btests?\b/i.test(text)

const isSame = (a: string, b: string): boolean => a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`)

interface Progress {
  /** The files that the task names. */
  readonly named: ReadonlyArray<string>
  /** True if the task asks for a test. */
  readonly wantsTest: boolean
  /** The text of the prompt, which may show some of the files. */
  readonly promptText: string
  readonly outcomes: ReadonlyArray<CallOutcome>
}

/**
 * The note about files and tests that the task still needs; empty if there are none. Before the first change, it names
 * files of the task that the model has not seen. After the first change, it names files that are still unchanged, and a
 * missing test.
 */
export const openFilesNote = ({ named, outcomes, promptText, wantsTest }: Progress): string => {
  const done = outcomes.filter(({ result }) => result.success)
  const changed = done.filter(isChange).flatMap(({ call }) => pathsOf(call))
  const touched = changed.length > 0 ? changed : done.map(({ call }) => pathOf(call))
  const isShown = (path: string): boolean => changed.length === 0 && showsFile(promptText, path)
  const open = named.filter((path) => !isShown(path) && !touched.some((other) => isSame(path, other)))
  const more = open.length > mostOpen ? [`${open.length - mostOpen} more`] : []
  const test = wantsTest && changed.length > 0 && !changed.some(isTestFile) ? ["a test"] : []
  const list = [...open.slice(0, mostOpen), ...more, ...test].join(", ")
  const state = changed.length > 0 ? "not changed so far" : "neither read nor changed yet"
  return list === "" ? "" : ` Named in the task, and ${state}: ${list}.`
}
