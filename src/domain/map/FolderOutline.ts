/**
 * Lists the folders of a project for the map, with their numbers of files. File names follow if the budget allows it.
 */
import { codeSpan } from "../markdown/PromptBlock.ts"
import { shortened } from "../text/Excerpt.ts"
import { printable } from "../text/Printable.ts"
import { languageOf } from "../files/Language.ts"
import { isTestFile } from "../files/TestFile.ts"
import { compareCodePoints } from "../text/CodePointOrder.ts"

const pattern =
  /(?:^|\/)(?:tests?|__tests__|specs?|fixtures?|testdata|examples?|samples?|demos?|playgrounds?|bench[^/]*|docs?|template[^/]*|vendor|third_party|\.[^/]*)\//i

/**
 * True for a path below an auxiliary folder, such as `docs/`. True for the folder itself only if the path ends with
 * `/`.
 */
export const isAuxiliary = (path: string): boolean => pattern.test(path)

const longestPart = 80
const longestPath = 200

/** Text that must not be shown: it would end a code span, or looks like a mark of a chat template. */
const unusual = /[`<>|\\]|^\s|\s$|^$/

const isPlainPart = (part: string): boolean =>
  part.length <= longestPart && !unusual.test(part) && printable(part) === part

/** True for a path that can be shown unchanged. Other paths are omitted, because no tool would find an escaped path. */
export const isPlainPath = (path: string): boolean => path.length <= longestPath && path.split("/").every(isPlainPart)

export const shownPath = (path: string): string => `\`${path}\``

/**
 * Turns a text of the project, such as a command, into a code span of one line, cut to `longest` characters.
 *
 * ```ts
 * shownText("node a.js &&\n  node b.js", 80) // "`node a.js && node b.js`"
 * ```
 */
export const shownText = (text: string, longest: number): string => {
  const line = printable(
    text
      .slice(0, 4 * longest)
      .replace(/\s+/g, " ")
      .trim()
  ).replaceAll("<|", "< |")
  return codeSpan(shortened(line, longest))
}

/** A line with as many names as fit. `write` receives these names, and a text such as `, and 3 more`. */
export const fittingLine = (
  names: ReadonlyArray<string>,
  budget: number,
  write: (some: string, rest: string) => string,
  { least = 1, most = names.length } = {}
): string | undefined => {
  for (let shown = Math.min(names.length, most); shown >= Math.max(1, least); shown--) {
    const rest = shown === names.length ? "" : `, and ${names.length - shown} more`
    const line = write(names.slice(0, shown).join(", "), rest)
    if (line.length <= budget) return line
  }
  return undefined
}

const mostNames = 32
const mostLines = 400

interface Folder {
  /** The path, which ends with `/`; empty for the project. */
  readonly path: string
  count: number
  readonly folders: Map<string, Folder>
  readonly files: Array<string>
}

/**
 * Returns the folder with these path parts, and creates missing folders. Adds `files` to the counts of this folder and
 * of all folders above.
 */
const enter = (root: Folder, parts: ReadonlyArray<string>, files: number): Folder => {
  let folder = root
  folder.count += files
  for (const part of parts) {
    const path = `${folder.path}${part}/`
    const inner = folder.folders.get(part) ?? { path, count: 0, folders: new Map(), files: [] }
    folder.folders.set(part, inner)
    inner.count += files
    folder = inner
  }
  return folder
}

const treeOf = (paths: ReadonlyArray<string>, unread: ReadonlyArray<string>): Folder => {
  const root: Folder = { path: "", count: 0, folders: new Map(), files: [] }
  for (const path of paths) {
    const parts = path.split("/")
    enter(root, parts.slice(0, -1), 1).files.push(parts.at(-1) ?? "")
  }
  for (const path of unread) enter(root, path.split("/"), 0)
  return root
}

/**
 * Goes down from this folder to the first folder with files or several subfolders. A chain such as `src/main/java/org`
 * becomes one step.
 */
const descend = (folder: Folder): Folder => {
  const [only, second] = folder.folders.values()
  return only === undefined || second !== undefined || folder.files.length > 0 ? folder : descend(only)
}

/** The subfolders, largest first. */
const innerFolders = (folder: Folder): ReadonlyArray<Folder> =>
  [...folder.folders.values()].map(descend).toSorted((a, b) => b.count - a.count || compareCodePoints(a.path, b.path))

interface Line {
  /** The folder that this line describes; empty for the root. */
  readonly folder: string
  readonly text: string
}

/** A line shows at least this many names, or all names if the folder has fewer. */
const leastNames = 4

/** The line `- in `src/`: a, b, and 3 more`, within the budget. Undefined if too few names fit. */
const lineOf = (folder: Folder, head: string, names: ReadonlyArray<string>, budget: number): Line | undefined => {
  const bounds = { least: folder.path === "" ? 1 : Math.min(names.length, leastNames), most: mostNames }
  const text = fittingLine(names, budget, (some, rest) => `- ${head}: ${some}${rest}`, bounds)
  return text === undefined ? undefined : { folder: folder.path, text }
}

const texts: ReadonlySet<string> = new Set(["", "markdown", "json", "yaml", "text"])

const holdsSources = ({ files }: Folder): boolean =>
  files.filter((name) => !texts.has(languageOf(name))).length * 2 > files.length

/** A folder gets a line about its subfolders only if they contain at least this many files. */
const leastInFolders = 3

const inFolders = ({ count, files }: Folder): number => count - files.length

/** The folders with subfolders, level by level, the largest first in each level. */
const levelsOf = (root: Folder): ReadonlyArray<Folder> => {
  const folders: Array<Folder> = [root]
  for (let at = 0; at < folders.length && folders.length < mostLines; at++) {
    folders.push(...innerFolders(folders[at] ?? root))
  }
  return folders.slice(0, mostLines)
}

/** Makes a line of at most `budget` characters. Undefined if too few names fit into it. */
type Candidate = (budget: number) => Line | undefined

const placeOf = ({ path }: Folder): string => (path === "" ? "at the top" : `in ${shownPath(path)}`)

const folderLine = (folder: Folder): Candidate => {
  const names = innerFolders(folder).map(({ count, path }) => {
    const name = shownPath(path.slice(folder.path.length))
    return count === 0 ? name : `${name} ${count}`
  })
  return (budget) => lineOf(folder, placeOf(folder), names, budget)
}

const fileLine = (folder: Folder): Candidate => {
  const isTest = (name: string): boolean => isTestFile(`${folder.path}${name}`)
  const names = [...folder.files.filter((name) => !isTest(name)), ...folder.files.filter(isTest)].map(shownPath)
  return (budget) => lineOf(folder, `files ${placeOf(folder)}`, names, budget)
}

/**
 * How much an outline shows. `overview` shows folders of two levels, and `whole` shows everything that fits, also
 * files.
 */
type OutlineDepth = "overview" | "whole"

const isUpper = ({ path }: Folder): boolean => path.split("/").length <= 2

/**
 * Makes a function that outlines folders within a budget of characters, and drops the deepest levels first. The result
 * is deterministic. `unread` are folders of unknown content, shown without a count.
 */
export const folderOutline = (
  paths: ReadonlyArray<string>,
  unread: ReadonlyArray<string> = []
): ((budget: number, depth: OutlineDepth) => ReadonlyArray<string>) => {
  const root = treeOf(paths, unread)
  const levels = levelsOf(root)
  const branching = levels.filter((folder) => folder === root || inFolders(folder) >= leastInFolders)
  const upper = branching
    .filter((folder) => isUpper(folder) && !folder.path.startsWith("."))
    .toSorted((a, b) => Number(isAuxiliary(a.path)) - Number(isAuxiliary(b.path)))
    .map(folderLine)
  const deep = branching.filter((folder) => !isUpper(folder) || folder.path.startsWith("."))
  const filled = levels.filter(({ files }) => files.length > 0)
  const sources = filled.filter((folder) => holdsSources(folder) && !isAuxiliary(folder.path))
  const whole = [
    ...upper,
    ...deep.filter((folder) => !isAuxiliary(folder.path)).map(folderLine),
    ...sources.map(fileLine),
    ...deep.filter(({ path }) => isAuxiliary(path)).map(folderLine),
    ...filled.filter((folder) => !sources.includes(folder)).map(fileLine)
  ]
  return (budget, depth) => {
    const chosen: Array<Line> = []
    let budgetLeft = budget
    for (const candidate of depth === "overview" ? upper : whole) {
      const line = budgetLeft > 0 ? candidate(budgetLeft - 1) : undefined
      if (line === undefined) continue
      chosen.push(line)
      budgetLeft -= line.text.length + 1
    }
    return chosen.toSorted((a, b) => compareCodePoints(a.folder, b.folder)).map(({ text }) => text)
  }
}
