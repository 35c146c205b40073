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

const testWanted = /\b(?:add|write|extend|cover|change|update)\w*\b[^.\n]{0,60}\btests?\b/i

const inBackticks = /`([^`\n]{1,200})`/g

/** True for code that is more than a name, a path or a command. */
const isExample = (code: string): boolean => code.trim().includes(" ") && /[^\w\s./-]/.test(code)

export interface WantedTest {
  /** The first example of code in the text. A test of exactly that shows what the user sees. */
  readonly example: string | undefined
}

/** The new or changed test for which a text asks. Undefined if it asks for none. */
export const wantedTest = (text: string): WantedTest | undefined => {
  if (!testWanted.test(text)) return undefined
  return { example: [...text.matchAll(inBackticks)].map(([, code = ""]) => code).find(isExample) }
}

/** Text without what differs when code is quoted in a test: spaces, quotation marks and backslashes. */
const bare = (text: string): string => text.replaceAll(/[\s"'`\\]/g, "")

const holdsTest = (outcomes: ReadonlyArray<CallOutcome>, { example = "" }: WantedTest): boolean =>
  outcomes.some(
    ({ call }) => pathsOf(call).some(isTestFile) && bare(JSON.stringify(call.arguments)).includes(bare(example))
  )

const isSame = (a: string, b: string): boolean => a === b || a.endsWith(`/${b}`) || b.endsWith(`/${a}`)

interface Progress {
  /** The files that the task names. */
  readonly named: ReadonlyArray<string>
  /** The test for which the task asks. */
  readonly test: WantedTest | undefined
  /** The text of the prompt, which may show some of the files. */
  readonly promptText: string
  readonly outcomes: ReadonlyArray<CallOutcome>
}

/**
 * The note about files and tests that the task still needs; empty if there are none. Before the first change, it names
 * files of the task that the model has not seen. After the first change, it names files that are still unchanged, and a
 * missing test.
 */
export const openFilesNote = ({ named, outcomes, promptText, test }: Progress): string => {
  const done = outcomes.filter(({ result }) => result.success)
  const changes = done.filter(isChange)
  const changed = changes.flatMap(({ call }) => pathsOf(call))
  const touched = changed.length > 0 ? changed : done.map(({ call }) => pathOf(call))
  const isShown = (path: string): boolean => changed.length === 0 && showsFile(promptText, path)
  const open = named.filter((path) => !isShown(path) && !touched.some((other) => isSame(path, other)))
  const more = open.length > mostOpen ? [`${open.length - mostOpen} more`] : []
  const isTestOpen = test !== undefined && changed.length > 0 && !holdsTest(changes, test)
  const openTest = test?.example === undefined ? "a test" : `a test of \`${test.example}\``
  const list = [...open.slice(0, mostOpen), ...more, ...(isTestOpen ? [openTest] : [])].join(", ")
  const state = changed.length > 0 ? "not changed so far" : "neither read nor changed yet"
  return list === "" ? "" : ` Named in the task, and ${state}: ${list}.`
}
