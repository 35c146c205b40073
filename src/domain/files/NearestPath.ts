/**
 * The paths that a wrong path may have meant, for the message that says that a file or folder is missing.
 */
import { nearest } from "../text/Nearest.ts"

/** Comparing more paths would take noticeable time. */
const maxCompared = 20_000

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

/**
 * At most three of the paths: first those with the same last part, then those that are spelled alike.
 *
 * ```ts
 * nearestPaths("main.ts", ["src/main.ts", "src/man.ts", "docs/a.md"]) // ["src/main.ts", "src/man.ts"]
 * ```
 */
export const nearestPaths = (target: string, paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const name = nameOf(target)
  const namesakes = paths.filter((path) => nameOf(path) === name)
  return [...new Set([...nearest(target, namesakes), ...nearest(target, paths.slice(0, maxCompared))])].slice(0, 3)
}

/** The folders that hold these files, at any depth: `["a/b/c.ts"]` gives `["a/b", "a"]`. */
export const foldersOf = (paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const folders = new Set<string>()
  for (const path of paths) {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const folder = path.slice(0, end)
      if (folders.has(folder)) break
      folders.add(folder)
    }
  }
  return [...folders]
}

/** The text ` Nearest: a, b.`, to append to a sentence; empty without names. */
export const nearestHint = (names: ReadonlyArray<string>): string =>
  names.length === 0 ? "" : ` Nearest: ${names.join(", ")}.`
