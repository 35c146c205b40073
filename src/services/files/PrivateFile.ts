/**
 * Creates folders and files, and flushes them to disk. Callers can make a file or folder readable only for the user.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as path from "node:path"
import type { PlatformError } from "effect/PlatformError"
import * as Random from "effect/Random"

/** Creates a folder, even if another process has just created it. */
export const makeDirectory = Effect.fnUntraced(function* (folder: string, mode?: number) {
  const fs = yield* FileSystem.FileSystem
  const made = fs.makeDirectory(folder, mode === undefined ? {} : { mode })
  yield* Effect.catchTag(made, "PlatformError", (error) =>
    error.reason._tag === "AlreadyExists" ? Effect.void : Effect.fail(error)
  )
})

/**
 * Flushes the entries of a folder to disk, so that created and renamed files survive a power loss. Errors are ignored,
 * because some systems cannot flush folders.
 */
export const flushFolder = Effect.fnUntraced(function* (folder: string) {
  const opened = (yield* FileSystem.FileSystem).open(folder)
  yield* Effect.ignore(Effect.scoped(Effect.flatMap(opened, ({ sync }) => sync)))
})

/** The missing folders on a path, outermost first. */
export const missingFolders = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const missing: Array<string> = []
  for (let at = path.resolve(folder); !(yield* fs.exists(at)); at = path.dirname(at)) {
    missing.unshift(at)
    if (at === path.dirname(at)) break
  }
  return missing
})

/**
 * Creates the missing folders of a path one by one, with this mode. Node's recursive function never returns below a
 * folder that refuses new entries, such as /proc.
 */
export const makeFolders = Effect.fn("makeFolders")(function* (
  folder: string,
  mode: number
): Effect.fn.Return<void, PlatformError, FileSystem.FileSystem> {
  for (const one of yield* missingFolders(folder)) {
    yield* makeDirectory(one, mode)
    yield* flushFolder(path.dirname(one))
  }
})

export const newFileMode = 0o666

/** Creates a file with this content and mode, and flushes it. Calls `onCreated` as soon as it exists. */
export const createFile = Effect.fnUntraced(function* (
  file: string,
  content: string | Uint8Array,
  mode: number | undefined,
  onCreated = () => {}
) {
  const fs = yield* FileSystem.FileSystem
  const open = fs.open(file, { flag: "wx", mode: mode ?? newFileMode })
  const handle = yield* Effect.uninterruptible(Effect.tap(open, () => Effect.sync(onCreated)))
  yield* handle.writeAll(typeof content === "string" ? new TextEncoder().encode(content) : content)
  yield* handle.sync
  if (mode !== undefined) yield* fs.chmod(file, mode)
}, Effect.scoped)

const fileMode = 0o600
const folderMode = 0o700

/** A suffix that makes the name of a file or folder unique. */
export const randomSuffix = Effect.map(Random.nextIntBetween(0, Number.MAX_SAFE_INTEGER), (one) => one.toString(36))

/**
 * Replaces or creates the file in one step. Even if the process is killed, the file has either the old or the new text.
 */
export const writePrivateFile = Effect.fn("writePrivateFile")(function* (file: string, content: string | Uint8Array) {
  const fs = yield* FileSystem.FileSystem
  yield* makeFolders(path.dirname(file), folderMode)
  const temporary = `${file}.${yield* randomSuffix}.tmp`
  yield* createFile(temporary, content, fileMode).pipe(
    Effect.andThen(fs.rename(temporary, file)),
    Effect.andThen(flushFolder(path.dirname(file))),
    Effect.onError(() => Effect.ignore(fs.remove(temporary, { force: true })))
  )
})

/** Appends text to the file in one write. */
export const appendPrivateFile = Effect.fn("appendPrivateFile")(function* (file: string, text: string) {
  const fs = yield* FileSystem.FileSystem
  yield* makeFolders(path.dirname(file), folderMode)
  yield* fs.writeFileString(file, text, { flag: "a", mode: fileMode })
})
