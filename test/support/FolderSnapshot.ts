/**
 * A folder byte for byte, so that a test can say that nothing, or exactly this, has changed.
 */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"

/** Path below the folder -> what stands there: kind, mode and content. */
export type FolderSnapshot = Readonly<Record<string, string>>

const describeEntry = (path: string): string => {
  const info = lstatSync(path)
  const mode = (info.mode & 0o7777).toString(8)
  if (info.isSymbolicLink()) return `link ${readlinkSync(path)}`
  if (info.isDirectory()) return `folder ${mode}`
  return info.isFile() ? `file ${mode} ${readFileSync(path).toString("latin1")}` : `other ${mode}`
}

/** The paths below a folder; `recursive` of Node follows links. */
const pathsBelow = (folder: string, below = ""): ReadonlyArray<string> =>
  readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = join(below, entry.name)
    return entry.isDirectory() ? [path].concat(pathsBelow(folder, path)) : [path]
  })

/** Everything below the folder, links not followed. */
export const takeSnapshot = (folder: string): FolderSnapshot =>
  Object.fromEntries(
    pathsBelow(folder)
      .toSorted()
      .map((path) => [path, describeEntry(join(folder, path))])
  )

/** The paths that differ between two snapshots. */
export const changedPaths = (before: FolderSnapshot, after: FolderSnapshot): ReadonlyArray<string> =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((path) => before[path] !== after[path])
    .toSorted()
