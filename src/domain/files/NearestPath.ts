/**
 * The paths that a wrong path may have meant. Named where a file or folder is missing.
 */
import { nearest } from "../text/Nearest.ts"

/** Comparing more paths would be felt. */
const maxCompared = 20_000

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)

/** At most three of the paths: those with the same last part first, then those that look alike. */
export const nearestPaths = (target: string, paths: ReadonlyArray<string>): ReadonlyArray<string> => {
  const name = nameOf(target)
  const namesakes = paths.filter((path) => nameOf(path) === name)
  return [...new Set([...nearest(target, namesakes), ...nearest(target, paths.slice(0, maxCompared))])].slice(0, 3)
}

/** The folders that hold these files, at any depth. */
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

/** ` Nearest: a, b.`, to stand behind a sentence; empty when nothing is near. */
export const nearestHint = (names: ReadonlyArray<string>): string =>
  names.length === 0 ? "" : ` Nearest: ${names.join(", ")}.`
