/**
 * Lists the files of a project without those that git ignores by `.gitignore` files and `.git/info/exclude`. Links are
 * never followed.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as path from "node:path"
import ignore from "ignore"
import { compareCodePoints } from "../../domain/text/CodePointOrder.ts"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { entriesIn, isThere } from "./FileLook.ts"
import { fileFailure } from "./FileFailure.ts"
import { readTextFile } from "./TextFile.ts"

export const maxTreeEntries = 100_000

/** Left out whatever the rules say. */
export const alwaysSkipped: ReadonlySet<string> = new Set([".git", "node_modules"])
const foldersAtOnce = 16

/** The rules of one file. `base` is its folder, absolute. */
interface Rules {
  readonly base: string
  readonly ignore: { test(path: string): { readonly ignored: boolean; readonly unignored: boolean } }
}

/** The rule files that apply in a folder, nearest first. The nearest one with a matching rule decides, and in it the last such rule. */
export type RuleChain = ReadonlyArray<Rules>

const maxRuleBytes = 1_048_576

/** The rules of a file; none when it cannot be read, as in git. */
export const readRules = Effect.fnUntraced(function* (file: string, base: string) {
  const text = yield* readTextFile(file, maxRuleBytes).pipe(Effect.orElseSucceed(() => ""))
  const rules: RuleChain = text.trim() === "" ? [] : [{ base, ignore: ignore({ ignorecase: false }).add(text) }]
  return rules
})

const enterFolder = Effect.fnUntraced(function* (chain: RuleChain, folder: string) {
  return [...(yield* readRules(path.join(folder, ".gitignore"), folder)), ...chain]
})

/** Whether the rules ignore an entry of this folder. The way from each rule file to the folder is found once for all entries. */
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

/** The folders from the top of the repository down to `root`, without `root`; none outside a repository. */
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

/**
 * The rules of the repository around `root`, before those of its own `.gitignore`. None apply to a root that its own
 * repository ignores.
 */
export const rulesAbove = Effect.fn("rulesAbove")(function* (root: string) {
  const above = yield* foldersAbove(root)
  const top = above[0] ?? root
  let chain: RuleChain = yield* readRules(path.join(top, ".git", "info", "exclude"), top)
  for (const [index, folder] of above.entries()) {
    chain = yield* enterFolder(chain, folder)
    if (ignoredIn(chain, folder)(path.basename(above[index + 1] ?? root), true)) return []
  }
  return chain
})

/** A folder still to be listed, with the rules that apply around it. */
interface Folder {
  readonly path: string
  readonly chain: RuleChain
}

/**
 * The entries of a folder that are not ignored: absolute paths of files and links, and the folders in it. A folder that cannot
 * be read, or no longer exists, counts as empty.
 */
const listFolder = Effect.fnUntraced(function* (folder: Folder) {
  const entries = (yield* entriesIn(folder.path)).toSorted((a, b) => compareCodePoints(a.name, b.name))
  const hasRules = entries.some((entry) => entry.name === ".gitignore" && entry.type === "File")
  const chain = hasRules ? yield* enterFolder(folder.chain, folder.path) : folder.chain
  const isIgnored = ignoredIn(chain, folder.path)
  const files: Array<string> = []
  const folders: Array<Folder> = []
  for (const entry of entries) {
    const isFolder = entry.type === "Directory"
    if (alwaysSkipped.has(entry.name) || isIgnored(entry.name, isFolder)) continue
    const absolute = path.join(folder.path, entry.name)
    if (isFolder) folders.push({ path: absolute, chain })
    else if (entry.type === "File" || entry.type === "SymbolicLink") files.push(absolute)
  }
  return { files, folders }
})

/** When a listing ends before it is whole. */
export interface TreeBounds {
  /** Files and folders. */
  readonly entries: number
  /** Time on the clock at which no further folder is opened. */
  readonly until?: number
}

/** The files of a project. */
export interface TreeListing {
  readonly files: ReadonlyArray<string>
  /** False when the listing ended at a bound. */
  readonly isWhole: boolean
  /** Folders that were found and not opened before the listing ended. */
  readonly unread: ReadonlyArray<string>
}

/**
 * Paths of files relative to `root`, with `/` between their parts, sorted by code point. Links are listed and not
 * followed; pipes, sockets and devices are left out, as are `.git` and `node_modules`. Folders near the root come first,
 * so that a listing that ends early still holds the top of the project.
 */
export const listTreeWithin = Effect.fn("listTreeWithin")(function* (root: string, bounds: TreeBounds) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.access(root, { readable: true }).pipe(Effect.mapError(fileFailure("list", root)))
  const files: Array<string> = []
  const folders: Array<Folder> = [{ path: root, chain: yield* rulesAbove(root) }]
  let opened = 0
  let isWhole = true
  while (opened < folders.length && isWhole) {
    const batch = folders.slice(opened, opened + foldersAtOnce)
    opened += batch.length
    for (const found of yield* Effect.forEach(batch, listFolder, { concurrency: foldersAtOnce })) {
      for (const file of found.files) files.push(file)
      for (const folder of found.folders) folders.push(folder)
    }
    const isLate = bounds.until !== undefined && (yield* Clock.currentTimeMillis) >= bounds.until
    const isWithinBounds = files.length + folders.length - 1 <= bounds.entries
    isWhole = isWithinBounds && !(isLate && opened < folders.length)
  }
  const shown = isWhole ? files : files.slice(0, bounds.entries)
  const relative = (one: string) => path.relative(root, one).split(path.sep).join("/")
  return {
    files: shown.map(relative).sort(compareCodePoints),
    isWhole,
    unread: folders
      .slice(opened)
      .map((folder) => relative(folder.path))
      .sort(compareCodePoints)
  } satisfies TreeListing
})

/** All files as `listTreeWithin` gives them. Fails with `output_limit` above `maxEntries` files or folders. */
export const listTree = Effect.fn("listTree")(function* (root: string, maxEntries: number) {
  const { files, isWhole } = yield* listTreeWithin(root, { entries: maxEntries })
  if (isWhole) return files
  const message = `${root} holds more than ${maxEntries} files. Ignore generated files in .gitignore, or choose a smaller project folder.`
  return yield* new ToolFailure({ type: "output_limit", message })
})
