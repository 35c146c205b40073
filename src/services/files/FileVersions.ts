/**
 * Stores the content of files before and after each change, so that the user can see and undo it. Each version is a
 * file named by the SHA-256 of its bytes, in a folder that only the user can read.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as path from "node:path"
import type { PlatformError } from "effect/PlatformError"
import { kindOfMode } from "../../domain/files/FileKind.ts"
import { mostKept } from "../../domain/files/FileEntry.ts"
import type { FileState } from "../../domain/journal/JournalRecord.ts"
import { ifFound } from "./FileFailure.ts"
import { textHash } from "./Hash.ts"
import { missingFolders, writePrivateFile } from "./PrivateFile.ts"

/** Versions of files by their hash. */
interface Versions {
  readonly has: (name: string) => Effect.Effect<boolean, PlatformError>
  readonly add: (name: string, bytes: Uint8Array) => Effect.Effect<void, PlatformError>
  /** The bytes of a version; undefined if it is gone or damaged. */
  readonly read: (name: string) => Effect.Effect<Uint8Array | undefined>
}

export interface FileVersions {
  /**
   * Stores the current and the next content of a file. `next` is a text, the bytes at `from`, or null for a removal.
   * Returns the change with references to both versions.
   */
  readonly keep: (
    change: FileState,
    next: string | null | { readonly from: string }
  ) => Effect.Effect<FileState, PlatformError>
  readonly read: Versions["read"]
  /** Notes that a call may change files whose content is not stored. */
  readonly noteOther: () => void
  /** All changes in order, with references to stored versions. */
  readonly changes: () => ReadonlyArray<FileState>
  /** True if the original content of every changed file is known. */
  readonly isComplete: () => boolean
}

/** The changes of earlier sessions. `isWhole` is false if these sessions may have changed other files, too. */
export interface EarlierChanges {
  readonly changes: ReadonlyArray<FileState>
  readonly isWhole: boolean
}

const keeping = (
  versions: Versions,
  earlier: EarlierChanges = { changes: [], isWhole: true }
): Effect.Effect<FileVersions, never, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const changes = [...earlier.changes]
    let { isWhole } = earlier
    const fs = yield* FileSystem.FileSystem
    const provide = Effect.provideService(FileSystem.FileSystem, fs)
    const add = Effect.fnUntraced(function* (name: string, bytes: Uint8Array) {
      if (!(yield* versions.has(name))) yield* versions.add(name, bytes)
    })
    /**
     * The mode and content at a path: the bytes of a file, or the target of a link. `null` if nothing is there;
     * undefined if the content is not stored.
     */
    const fileAt = Effect.fnUntraced(function* (file: string) {
      const info = yield* ifFound(fs.lstat(file))
      if (info === undefined) return null
      if (info.type === "SymbolicLink") {
        const target = yield* Effect.orElseSucceed(fs.readLink(file), () => undefined)
        return target === undefined ? undefined : { bytes: new TextEncoder().encode(target), mode: info.mode }
      }
      if (info.type !== "File" || Number(info.size) > mostKept) return undefined
      const bytes = yield* Effect.orElseSucceed(fs.readFile(file), () => undefined)
      return bytes && { bytes, mode: info.mode }
    })
    const kept = Effect.fnUntraced(function* (
      change: FileState,
      next: string | null | { readonly from: string }
    ): Effect.fn.Return<FileState, PlatformError> {
      const file = yield* fileAt(change.path)
      if (file === undefined) return change
      if (typeof next === "string") yield* add(textHash(next), new TextEncoder().encode(next))
      const moved = typeof next === "object" && next !== null ? yield* fileAt(next.from) : undefined
      if (moved !== undefined && moved !== null) yield* add(textHash(moved.bytes), moved.bytes)
      if (file !== null) {
        const { bytes, mode } = file
        yield* add(textHash(bytes), bytes)
        const changesMode = next === null || change.kind !== undefined
        return { ...change, was: textHash(bytes), ...(changesMode ? { mode } : {}) }
      }
      const runs = moved !== undefined && moved !== null && kindOfMode(moved.mode) === "executable"
      const [folder] = yield* provide(missingFolders(path.dirname(change.path)))
      return {
        ...change,
        was: null,
        ...(runs ? { kind: "executable" as const } : {}),
        ...(folder === undefined ? {} : { folder })
      }
    })
    return {
      read: versions.read,
      noteOther: () => void (isWhole = false),
      changes: () => changes,
      isComplete: () => isWhole && changes.every(({ was }) => was !== undefined),
      keep: (change, next) => Effect.tap(kept(change, next), (one) => Effect.sync(() => void changes.push(one)))
    }
  })

/**
 * Stores versions in a folder. The folder is created when the first version is stored. `earlier` contains the changes
 * of earlier sessions.
 */
export const versionsIn = (
  folder: string,
  earlier?: EarlierChanges
): Effect.Effect<FileVersions, never, FileSystem.FileSystem> =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const provide = Effect.provideService(FileSystem.FileSystem, fs)
    return yield* keeping(
      {
        has: (name) => fs.exists(path.join(folder, name)),
        add: (name, bytes) => provide(writePrivateFile(path.join(folder, name), bytes)),
        read: (name) =>
          fs.readFile(path.join(folder, name)).pipe(
            Effect.map((bytes) => (textHash(bytes) === name ? bytes : undefined)),
            Effect.orElseSucceed(() => undefined)
          )
      },
      earlier
    )
  })

/** Stores versions for the lifetime of the process. */
export const versionsInMemory = Effect.suspend(() => {
  const all = new Map<string, Uint8Array>()
  return keeping({
    has: (name) => Effect.sync(() => all.has(name)),
    add: (name, bytes) => Effect.sync(() => void all.set(name, bytes)),
    read: (name) => Effect.sync(() => all.get(name))
  })
})

/** The store of file versions for the current run. The default stores nothing. */
export const FileVersions = Context.Reference<FileVersions>("task-conductor/services/files/FileVersions", {
  defaultValue: () => ({
    keep: Effect.succeed,
    read: () => Effect.undefined,
    noteOther: () => undefined,
    changes: () => [],
    isComplete: () => false
  })
})
