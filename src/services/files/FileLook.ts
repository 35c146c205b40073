/**
 * Answers questions about files. An error counts as a missing file.
 *
 * The functions are synchronous: a run asks hundreds of questions for each command, and the kernel answers from memory.
 * Asynchronous functions would cost ten times the processor time, for threads and error objects.
 */
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import {
  type BigIntStats,
  type Dirent,
  existsSync,
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync
} from "node:fs"

interface PathInfo {
  readonly type: FileSystem.File.Type
  readonly mode: number
  readonly size: bigint
  /** The time of its last change, in milliseconds. */
  readonly mtime: number
  readonly dev: bigint
  readonly ino: bigint
}

export const look = <A, B>(question: () => A, otherwise: B): Effect.Effect<A | B> =>
  Effect.sync(() => {
    try {
      return question()
    } catch {
      return otherwise
    }
  })

const typeOf = (entry: BigIntStats | Dirent | Stats): FileSystem.File.Type => {
  if (entry.isFile()) return "File"
  if (entry.isDirectory()) return "Directory"
  if (entry.isSymbolicLink()) return "SymbolicLink"
  if (entry.isBlockDevice()) return "BlockDevice"
  if (entry.isCharacterDevice()) return "CharacterDevice"
  if (entry.isFIFO()) return "FIFO"
  return entry.isSocket() ? "Socket" : "Unknown"
}

const statAt = (path: string) => statSync(path, { bigint: true, throwIfNoEntry: false })

/** The entry at the path. Follows links. */
export const infoAt = (path: string) =>
  look((): PathInfo | undefined => {
    const stats = statAt(path)
    if (stats === undefined) return undefined
    const { dev, ino, mode, mtime, size } = stats
    return { type: typeOf(stats), mode: Number(mode), size, mtime: mtime.getTime(), dev, ino }
  }, undefined)

/**
 * The identity of a folder: its inode and creation time. A folder created later at the same path has another identity.
 * Undefined if there is no folder.
 */
export const folderIdentity = (path: string): string | undefined => {
  const info = statAt(path)
  return info === undefined ? undefined : `${info.ino} ${info.birthtimeNs}`
}

export const isThere = (path: string) => look(() => existsSync(path), false)

export const isFile = (path: string) => Effect.map(infoAt(path), (info) => info?.type === "File")

export const isFolder = (path: string) => Effect.map(infoAt(path), (info) => info?.type === "Directory")

const lstatAt = (path: string) => lstatSync(path, { throwIfNoEntry: false })

/** The type of the entry at the path, without following links; undefined if there is none. */
export const typeAt = (path: string) =>
  look((): FileSystem.File.Type | undefined => {
    const stats = lstatAt(path)
    return stats === undefined ? undefined : typeOf(stats)
  }, undefined)

/**
 * True if nothing is at the path, not even a link. False if the system reports another problem, for example because the
 * path leads through a file.
 */
export const isMissing = (path: string) =>
  Effect.sync(() => {
    try {
      lstatSync(path)
      return false
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === "ENOENT"
    }
  })

export const linkAt = (path: string) =>
  look(() => (lstatAt(path)?.isSymbolicLink() === true ? readlinkSync(path) : undefined), undefined)

export const entriesIn = (folder: string) =>
  look(
    () =>
      readdirSync(folder, { withFileTypes: true }).map((entry) => ({
        name: entry.name,
        type: typeOf(entry)
      })),
    []
  )

export const realPath = (path: string) => look(() => (existsSync(path) ? realpathSync(path) : undefined), undefined)

export const realPaths = (paths: ReadonlyArray<string>) =>
  Effect.map(Effect.forEach(paths, realPath), (found) => found.filter((one) => one !== undefined))
