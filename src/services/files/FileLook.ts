/** File queries that treat an error as a missing file. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { statSync } from "node:fs"

const look = <A, B>(question: (fs: FileSystem.FileSystem) => Effect.Effect<A, unknown>, otherwise: B) =>
  Effect.orElseSucceed(FileSystem.FileSystem.use(question), () => otherwise)

/** The entry at the path. Follows links. */
export const infoAt = (path: string) => look((fs) => fs.stat(path), undefined)

/** Distinguishes a folder from a later one at the same path: its inode and creation time. Undefined if it is gone. */
export const folderIdentity = (path: string): string | undefined => {
  const info = statSync(path, { bigint: true, throwIfNoEntry: false })
  return info === undefined ? undefined : `${info.ino} ${info.birthtimeNs}`
}

export const isThere = (path: string) => look((fs) => fs.exists(path), false)

export const isFile = (path: string) => Effect.map(infoAt(path), (info) => info?.type === "File")

export const isFolder = (path: string) => Effect.map(infoAt(path), (info) => info?.type === "Directory")

export const linkAt = (path: string) => look((fs) => fs.readLink(path), undefined)

export const entriesIn = (folder: string) => look((fs) => fs.readDirectoryEntries(folder), [])

export const realPath = (path: string) => look((fs) => fs.realPath(path), undefined)

export const realPaths = (paths: ReadonlyArray<string>) =>
  Effect.map(Effect.forEach(paths, realPath), (found) => found.filter((one) => one !== undefined))
