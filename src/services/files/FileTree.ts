/**
 * Lists the files of a project: all tracked files, and all other files that neither `.gitignore` files nor
 * `.git/info/exclude` ignore. Never follows links. Reports unreadable folders and rules.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as path from "node:path"
import ignore from "ignore"
import { compareCodePoints } from "../../domain/text/CodePointOrder.ts"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { isThere, typeAt } from "./FileLook.ts"
import { filesBelow } from "./EntryLook.ts"
import { explanationOf, fileFailure, ifFound } from "./FileFailure.ts"
import { readFileBytes } from "./TextFile.ts"
import { gitFolders, type TrackedFiles, trackedFiles } from "./TrackedFiles.ts"

export const maxTreeEntries = 100_000

/** Skipped whatever the rules say. */
export const alwaysSkipped: ReadonlySet<string> = new Set([".git", "node_modules"])
const foldersAtOnce = 16

/** The rules of one file. `base` is the absolute path of its folder. */
interface Rules {
  readonly base: string
  readonly ignore: { test(path: string): { readonly ignored: boolean; readonly unignored: boolean } }
}

/**
 * The rule files that apply to a folder, nearest first. The nearest file with a matching rule decides. In that file,
 * the last matching rule decides.
 */
export type RuleChain = ReadonlyArray<Rules>

/** The maximum size of a file of rules, in bytes, as in git. */
const maxRuleBytes = 104_857_600

/** The rules of a file, or why they are unreadable, as a sentence. */
interface ReadRules {
  readonly rules: RuleChain
  readonly problem?: string
}

/**
 * Reads the rules of a file. Like git, returns no rules for an unreadable file.
 *
 * Git treats rules as bytes, so a line that is not UTF-8 affects no other line. Such a line is decoded as Node decodes a
 * file name that is not UTF-8.
 */
export const readRules = Effect.fnUntraced(function* (
  file: string,
  base: string
): Effect.fn.Return<ReadRules, never, FileSystem.FileSystem> {
  if ((yield* typeAt(file)) !== "File") return { rules: [] }
  return yield* Effect.match(readFileBytes(file, maxRuleBytes), {
    onFailure: ({ message }): ReadRules => ({ rules: [], problem: `The patterns of ${file} do not count. ${message}` }),
    onSuccess: (bytes): ReadRules => {
      const text = new TextDecoder().decode(bytes)
      return { rules: text.trim() === "" ? [] : [{ base, ignore: ignore({ ignorecase: false }).add(text) }] }
    }
  })
})

/**
 * Tests whether the rules ignore an entry of this folder. The path from each rule file to the folder is computed once.
 */
export const ignoredIn = (chain: RuleChain, folder: string) => {
  const placed = chain.map(({ base, ignore }) => {
    const way = path.relative(base, folder).split(path.sep).join("/")
    return { ignore, way: way === "" ? "" : `${way}/` }
  })
  return (name: string, isFolder: boolean): boolean => {
    for (const rules of placed) {
      const tested = `${rules.way}${name}${isFolder ? "/" : ""}`
      if (!ignore.isPathValid(tested)) continue
      const outcome = rules.ignore.test(tested)
      if (outcome.ignored !== outcome.unignored) return outcome.ignored
    }
    return false
  }
}

/** The folders from the top of the repository down to `root`, without `root`. Empty outside a repository. */
const foldersAbove = Effect.fnUntraced(function* (root: string) {
  const above: Array<string> = []
  let folder = root
  while (!(yield* isThere(path.join(folder, ".git")))) {
    const parent = path.dirname(folder)
    if (parent === folder) return []
    above.unshift(parent)
    folder = parent
  }
  return above
})

/** A folder, with the rules of files outside it. */
export interface RuledFolder {
  readonly path: string
  readonly chain: RuleChain
  readonly tracked: TrackedFiles
  /** True if git ignores the folder. Only its tracked files are then listed. */
  readonly isIgnored: boolean
}

/** The root folder, with sentences about unreadable rules. */
interface RuledRoot extends RuledFolder {
  readonly problems: ReadonlyArray<string>
}

const problemsOf = (...all: ReadonlyArray<{ readonly problem?: string }>): ReadonlyArray<string> =>
  all.flatMap(({ problem }) => problem ?? [])

/**
 * `root` with the rules of its repository. The `.gitignore` file in `root` itself is read later. If the repository
 * ignores `root`, no rules apply.
 */
export const ruledRoot = Effect.fn("ruledRoot")(function* (root: string) {
  const above = yield* foldersAbove(root)
  const top = above[0] ?? root
  const tracked = yield* trackedFiles(top, root)
  const { common } = yield* gitFolders(top)
  const excluded = yield* readRules(path.join(common, "info", "exclude"), top)
  const problems = [...problemsOf(tracked, excluded)]
  let chain: RuleChain = excluded.rules
  for (const [index, folder] of above.entries()) {
    const own = yield* readRules(path.join(folder, ".gitignore"), folder)
    problems.push(...problemsOf(own))
    chain = own.rules.concat(chain)
    if (ignoredIn(chain, folder)(path.basename(above[index + 1] ?? root), true)) {
      return { path: root, chain: [], tracked, isIgnored: false, problems } satisfies RuledRoot
    }
  }
  return { path: root, chain, tracked, isIgnored: false, problems } satisfies RuledRoot
})

/**
 * What happens to an entry:
 * - `counts`: the entry is listed.
 * - `tracked`: of this folder, only tracked files are listed.
 * - `ignored`: the entry is not listed.
 */
type Standing = "counts" | "tracked" | "ignored"

/** Returns a function that classifies the entries of a folder with known rules. */
export const standingIn = ({ chain, isIgnored, path: folder, tracked }: RuledFolder) => {
  const isIgnoredByRule = ignoredIn(chain, folder)
  return (name: string, isFolder: boolean): Standing => {
    const place = path.join(folder, name)
    if (name === ".git") return "ignored"
    if (!alwaysSkipped.has(name) && !isIgnored && !isIgnoredByRule(name, isFolder)) return "counts"
    if (isFolder && tracked.submodules.has(place) && !alwaysSkipped.has(name)) return "counts"
    return (isFolder ? tracked.folders : tracked.files).has(place) ? "tracked" : "ignored"
  }
}

const entriesOf = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  return yield* Effect.match(ifFound(fs.readDirectoryEntries(folder)), {
    onFailure: (error) => ({ entries: [], problem: `The folder ${folder} cannot be listed. ${explanationOf(error)}` }),
    onSuccess: (entries) => ({ entries: (entries ?? []).toSorted((a, b) => compareCodePoints(a.name, b.name)) })
  })
})

interface ListedFolder {
  /** Absolute paths of the listed files and links. */
  readonly files: ReadonlyArray<string>
  readonly folders: ReadonlyArray<RuledFolder>
  /** Tracked files in folders that are never listed. */
  readonly passedOver: ReadonlyArray<string>
  readonly problems: ReadonlyArray<string>
}

/** Adds the rules of the folder itself. If the folder is another repository, also adds the index of that repository. */
const entered = Effect.fnUntraced(function* (folder: RuledFolder, names: ReadonlySet<string>, isTop: boolean) {
  const folderRules = names.has(".gitignore")
    ? yield* readRules(path.join(folder.path, ".gitignore"), folder.path)
    : { rules: [] }
  const isRepository = !isTop && names.has(".git")
  const tracked = isRepository ? yield* trackedFiles(folder.path, folder.path) : folder.tracked
  return {
    folder: { ...folder, tracked, chain: [...folderRules.rules, ...folder.chain] } satisfies RuledFolder,
    problems: problemsOf(folderRules, isRepository ? tracked : {})
  }
})

const trackedBelow = ({ files }: TrackedFiles, folder: string): ReadonlyArray<string> =>
  [...files].filter((file) => file.startsWith(`${folder}${path.sep}`))

/** Lists a folder without ignored entries. A missing folder counts as empty. */
const listFolder = Effect.fnUntraced(function* (
  outer: RuledFolder,
  isTop = false
): Effect.fn.Return<ListedFolder, never, FileSystem.FileSystem> {
  const { entries, problem } = yield* Effect.map(entriesOf(outer.path), (read) => ({ problem: undefined, ...read }))
  const { folder, problems } = yield* entered(outer, new Set(entries.map(({ name }) => name)), isTop)
  const standingOf = standingIn(folder)
  const files: Array<string> = []
  const folders: Array<RuledFolder> = []
  const passedOver: Array<string> = []
  for (const { name, type } of entries) {
    const isFolder = type === "Directory"
    const standing = standingOf(name, isFolder)
    if (standing === "ignored") continue
    const place = path.join(folder.path, name)
    if (alwaysSkipped.has(name)) passedOver.push(...trackedBelow(folder.tracked, place))
    else if (isFolder) folders.push({ ...folder, path: place, isIgnored: standing === "tracked" })
    else if (type === "File" || type === "SymbolicLink") files.push(place)
  }
  return { files, folders, passedOver, problems: problem === undefined ? problems : [problem, ...problems] }
})

/** The limits of a listing, and the path at which it begins. */
export interface TreeBounds {
  /** The maximum number of files and folders. */
  readonly entries: number
  /** The time after which no further folder is opened, in milliseconds since 1970. */
  readonly until?: number
  /** The only file or folder that is listed, relative to the root. */
  readonly below?: string
  /** True to list ignored files and empty folders, too. */
  readonly everything?: boolean
}

/** The files of a project. */
export interface TreeListing {
  readonly files: ReadonlyArray<string>
  /** False if the listing stopped at a limit. */
  readonly isWhole: boolean
  /** Folders that were not opened because of a limit. */
  readonly unread: ReadonlyArray<string>
  /** Tracked files in folders that are never listed. */
  readonly passedOver: ReadonlyArray<string>
  /** Sentences about unreadable folders, patterns or git indexes. */
  readonly problems: ReadonlyArray<string>
}

/** The start of a listing: a folder, or the single requested file. */
const startAt = Effect.fnUntraced(function* (root: string, below: string) {
  const start = yield* ruledRoot(root)
  const problems = [...start.problems]
  let folder: RuledFolder = start
  let isTop = true
  for (const name of below.split("/").filter((part) => part !== "")) {
    const listed = yield* listFolder(folder, isTop)
    problems.push(...listed.problems)
    const place = path.join(folder.path, name)
    if (listed.files.includes(place)) return { files: [place], folders: [], isTop, problems }
    const next = listed.folders.find((one) => one.path === place)
    if (next === undefined) return { files: [], folders: [], isTop, problems }
    folder = next
    isTop = false
  }
  return { files: [], folders: [folder], isTop, problems }
})

/** Lists all files, even ignored ones. A folder that exists only in a working copy counts as empty. */
const listEverything = Effect.fnUntraced(function* (root: string, { below = "", entries }: TreeBounds) {
  const absolute = yield* Effect.catchIf(
    filesBelow(path.join(root, below), entries),
    ({ type }) => type === "not_found",
    () => Effect.succeed([])
  )
  const files = absolute.slice(0, entries).map((file) => path.relative(root, file).split(path.sep).join("/"))
  return { files, isWhole: absolute.length <= entries, unread: [], passedOver: [], problems: [] } satisfies TreeListing
})

/**
 * Lists file paths relative to `root`, separated by `/` and sorted by code point. Links are listed but not followed.
 * Omits pipes, sockets, devices, `.git` and `node_modules`. Folders near the root are read first, so that an incomplete
 * listing contains the top of the project.
 */
export const listTreeWithin = Effect.fn("listTreeWithin")(function* (root: string, bounds: TreeBounds) {
  if (bounds.everything === true) return yield* listEverything(root, bounds)
  const fs = yield* FileSystem.FileSystem
  yield* fs.access(root, { readable: true }).pipe(Effect.mapError(fileFailure("list", root)))
  const start = yield* startAt(root, bounds.below ?? "")
  const files: Array<string> = [...start.files]
  const folders: Array<RuledFolder> = [...start.folders]
  const passedOver: Array<string> = []
  const problems = [...start.problems]
  let opened = 0
  let isWhole = true
  while (opened < folders.length && isWhole) {
    const batch = folders.slice(opened, opened + foldersAtOnce)
    const isFirst = opened === 0
    opened += batch.length
    const list = (folder: RuledFolder) => listFolder(folder, isFirst && start.isTop)
    for (const listed of yield* Effect.forEach(batch, list, { concurrency: foldersAtOnce })) {
      for (const file of listed.files) files.push(file)
      for (const folder of listed.folders) folders.push(folder)
      for (const problem of listed.problems) problems.push(problem)
      for (const file of listed.passedOver) passedOver.push(file)
    }
    const isLate = bounds.until !== undefined && (yield* Clock.currentTimeMillis) >= bounds.until
    const isWithinBounds = files.length + folders.length - 1 <= bounds.entries
    isWhole = isWithinBounds && !(isLate && opened < folders.length)
  }
  const withinBounds = isWhole ? files : files.slice(0, bounds.entries)
  const relative = (one: string) => path.relative(root, one).split(path.sep).join("/")
  return {
    files: withinBounds.map(relative).sort(compareCodePoints),
    isWhole,
    unread: folders
      .slice(opened)
      .map((folder) => relative(folder.path))
      .sort(compareCodePoints),
    passedOver: passedOver.map(relative).sort(compareCodePoints),
    problems: [...new Set(problems)]
  } satisfies TreeListing
})

/** Lists all files as `listTreeWithin` does. Fails with `output_limit` above `maxEntries` files or folders. */
export const listTree = Effect.fn("listTree")(function* (root: string, maxEntries: number) {
  const { files, isWhole } = yield* listTreeWithin(root, { entries: maxEntries })
  if (isWhole) return files
  const message = `${root} holds more than ${maxEntries} files. Ignore generated files in .gitignore, or choose a smaller project folder.`
  return yield* new ToolFailure({ type: "output_limit", message })
})
