/** Prepares paths for a model: lists them by folder, finds similar names, and finds the matches of a pattern. */
import { distance } from "fastest-levenshtein"
import { nearest } from "../text/Nearest.ts"
import { unescaped } from "../text/PercentEscapes.ts"
import * as Glob from "effect/Glob"

/** At most this many paths are compared, because more would take noticeable time. */
const maxCompared = 20_000

export const fileName = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

/** True for a path in a folder, at any depth. */
export const isBelow = (folder: string, path: string): boolean => path.startsWith(`${folder}/`)

/**
 * At most 200 paths: those whose file names are most similar to `name`. `nearestPaths` then compares their full paths.
 */
const spelledAlike = (name: string, paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  paths
    .slice(0, maxCompared)
    .map((path) => ({ path, cost: distance(name, fileName(path)) }))
    .sort((a, b) => a.cost - b.cost)
    .slice(0, 200)
    .map(({ path }) => path)

/**
 * At most three similar paths: first paths with the same file name, then paths with a similar spelling.
 *
 * ```ts
 * nearestPaths("main.ts", ["src/main.ts", "src/man.ts", "docs/a.md"]) // ["src/main.ts", "src/man.ts"]
 * ```
 */
export const nearestPaths = (target: string, paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const name = fileName(target)
  const namesakes = paths.filter((path) => fileName(path) === name)
  return [...new Set([...nearest(target, namesakes), ...nearest(target, spelledAlike(name, paths))])].slice(0, 3)
}

/** Removes the markdown escapes of signs such as `_` and `*`, which models copy into paths. */
export const withoutEscapes = (path: string): string => path.replace(/\\([_*`~[\](){}<>#+\-.!|&])/g, "$1")

/**
 * Other spellings of a path: without quotes, with resolved backslashes (of markdown, a shell or Windows), and with
 * decoded URL escapes.
 */
export const otherSpellings = (path: string): ReadonlyArray<string> => {
  const bare = path.trim().replace(/^(`+|["'])(.+)\1$/, "$2")
  const spellings = [
    bare,
    withoutEscapes(bare),
    bare.replaceAll("\\ ", " "),
    unescaped(bare),
    bare.replaceAll("\\", "/")
  ]
  return [...new Set(spellings)].filter((one) => one !== path && one !== "")
}

/** Normalises a path, so that blanks, invisible characters and the Unicode form of letters make no difference. */
export const alikePath = (path: string): string =>
  path
    .normalize("NFC")
    .replace(/\p{Cf}/gu, "")
    .replace(/\s+/g, " ")
    .trim()

/** All folders above these files: `["a/b/c.ts"]` gives `["a/b", "a"]`. */
export const foldersOf = (paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const folders = paths.flatMap((path) => {
    const parts = path.split("/").slice(0, -1)
    return parts.map((_, index) => parts.slice(0, parts.length - index).join("/"))
  })
  return [...new Set(folders)]
}

/** At most this many paths are taken from one text. */
const mostNamed = 50

/**
 * The relative paths in a text, also in links, in code, or as `@src/a.ts`. Only paths with a folder count. The files
 * may not exist.
 */
export const pathsNamed = (text: string): ReadonlyArray<string> => {
  const words = text.split(/[\s"'`<>()[\]{},;|]+/).flatMap((word) => {
    const path = word
      .replace(/^@?(?:\.\/)*/, "")
      .replace(/(?:#.*|:\d.*)$/, "")
      .replace(/[.:!?*]+$/, "")
    return path.includes("/") && !/^(?:\/|~|\.\.)|:\/\//.test(path) ? [path] : []
  })
  return [...new Set(words)].slice(0, mostNamed)
}

/** ` Nearest: a, b.` to append to a sentence; empty without names. */
export const nearestHint = (names: ReadonlyArray<string>): string =>
  names.length === 0 ? "" : ` Nearest: ${names.join(", ")}.`

/** The maximum size of the list that `fitTree` returns. */
export interface TreeBudget {
  /** The maximum number of entries. */
  readonly entries: number
  /** The maximum number of characters of all entries together. */
  readonly characters: number
}

/**
 * Cuts paths to `depth` parts. A longer path becomes its folder at this depth, with `/` at the end. Each folder occurs
 * once.
 */
const collapse = (paths: ReadonlyArray<string>, depth: number): ReadonlyArray<string> => {
  const shortened = paths.map((path) => {
    const parts = path.split("/")
    return parts.length <= depth ? path : `${parts.slice(0, depth).join("/")}/`
  })
  return [...new Set(shortened)]
}

const fits = (paths: ReadonlyArray<string>, budget: TreeBudget): boolean =>
  paths.length <= budget.entries && paths.reduce((sum, path) => sum + path.length, 0) <= budget.characters

const depthOf = (paths: ReadonlyArray<string>): number =>
  paths.reduce((deepest, path) => Math.max(deepest, path.split("/").length), 1)

const cut = (paths: ReadonlyArray<string>, budget: TreeBudget): ReadonlyArray<string> => {
  let characters = 0
  const end = paths.findIndex((path, index) => {
    characters += path.length
    return index >= budget.entries || characters > budget.characters
  })
  const note = "Name a folder with path to see the rest."
  return end === -1 ? paths : [...paths.slice(0, end), `(${paths.length - end} more are not shown. ${note})`]
}

/**
 * Shortens a sorted list of file paths to a budget. It shows a file deeper than `depth` levels as its folder, with `/`
 * at the end. Without `depth`, it uses the greatest depth that fits. `from` is the depth of the listed folder, 0 for
 * the project. If entries are left out, the last entry gives their number. It also tells the model that the parameter
 * `path` lists them.
 *
 * ```ts
 * fitTree(["a/b/c.ts", "d.ts"], { entries: 500, characters: 16_000 }, { from: 0, depth: 1 }) // ["a/", "d.ts"]
 * ```
 */
export const fitTree = (
  paths: ReadonlyArray<string>,
  budget: TreeBudget,
  { depth, from }: { readonly depth?: number; readonly from: number }
): ReadonlyArray<string> => {
  if (depth !== undefined) return cut(collapse(paths, from + depth), budget)
  if (fits(paths, budget)) return paths
  for (let level = depthOf(paths) - 1; level > from; level--) {
    const collapsed = collapse(paths, level)
    if (!fits(collapsed, budget) && level > from + 1) continue
    const note = `(${paths.length} files; those deeper than ${level - from} levels are shown as their folder. Name a folder with path to see them.)`
    return [...cut(collapsed, budget), note]
  }
  return cut(paths, budget)
}

/** A pattern with braces becomes at most this many patterns. */
const maxAlternatives = 64

/** Expands one pair of braces that contains no other braces. */
const expandOnce = (glob: string): ReadonlyArray<string> => {
  const braces = /\{([^{}]*)\}/.exec(glob)
  if (braces === null) return [glob]
  const [whole, choices = ""] = braces
  const after = glob.slice(braces.index + whole.length)
  return choices.split(",").map((choice) => glob.slice(0, braces.index) + choice + after)
}

/** Expands `a.{ts,js}` to `a.ts` and `a.js`; with too many alternatives, the pattern stays as written. */
const alternatives = (glob: string): ReadonlyArray<string> => {
  for (let expanded = [glob]; expanded.length <= maxAlternatives;) {
    const next = expanded.flatMap(expandOnce)
    if (next.every((one, index) => one === expanded[index])) return next
    expanded = next
  }
  return [glob.replace(/[{}]/g, "\\$&")]
}

/**
 * Rewrites a pattern as models mean it: brackets belong to a name, as in `[slug].tsx`, unless they contain a range such
 * as `[A-H]`. `**.ts` means files in every folder.
 */
const asMeant = (pattern: string): string =>
  pattern
    .replace(/(\[!?\w-\w\])|[[\]]/g, (found, range?: string) => range ?? `\\${found}`)
    .replace(/(?<=^|\/)\*\*(?=[^/*])/g, "**/*")

/**
 * Makes a test for paths relative to the project. A pattern without a slash is compared with the file name only.
 * - `*`: any characters within one folder or file name.
 * - `?`: one character.
 * - `[a-f]`: one character of a range.
 * - `**`: any number of folders.
 * - `{ts,js}`: one of the alternatives.
 */
export const matchesGlob = (glob: string): ((path: string) => boolean) => {
  const globs = alternatives(glob.replace(/^(?:\.?\/)+/, "")).map((one) =>
    Glob.make(asMeant(one.includes("/") ? one : `**/${one}`), { dot: true })
  )
  return (path) => globs.some((one) => Glob.match(one, path))
}
