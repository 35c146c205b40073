/**
 * Replaces, creates or removes a file in one step: a reader sees the old text or the new text, never a part.
 *
 * The new text is written to a temporary file in the same folder. This file is flushed to disk and renamed. Its name
 * identifies the write, so that a resumed run finds and removes the temporary files of a killed process.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import { constants } from "node:fs"
import { copyFile, link, readdir, rmdir } from "node:fs/promises"
import * as path from "node:path"
import * as Result from "effect/Result"
import type { FileEntry } from "../../domain/files/FileEntry.ts"
import { type FileKind, modeAs } from "../../domain/files/FileKind.ts"
import { encodeLike } from "../../domain/text/EncodeLike.ts"
import { decodeFile } from "../../domain/text/TextEncoding.ts"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { isWithin } from "./CanonicalPath.ts"
import { contentState, hashOf, textHash } from "./Hash.ts"
import { fileFailure, fileOperation, ifFound } from "./FileFailure.ts"
import { createFile, newFileMode, randomSuffix } from "./PrivateFile.ts"
import { makeAndOpenDirectory, openDirectory } from "./DirectoryHandle.ts"
import type { FileState } from "../../domain/journal/JournalRecord.ts"

/** A write: the canonical path, and the hash of the new text. */
type Write = Pick<FileState, "path" | "after">

const beginningOf = ({ after, path }: Write): string => `.task-conductor-${hashOf([path, after]).slice(0, 16)}-`

/** The name of the temporary file of a write. `suffix` keeps the files of two processes apart. */
export const temporaryName = (write: Write, suffix: string): string => `${beginningOf(write)}${suffix}.tmp`

export const cannotEncode = (file: string, why: string) =>
  new ToolFailure({ type: "validation_failed", message: `Cannot write ${file}: ${why}. Nothing was changed.` })

const cannotWrite = (file: string, what: string) =>
  new ToolFailure({ type: "io_error", message: `Cannot write ${file}: ${what}. Nothing was changed.` })

/** The maximum size, in bytes, of a file whose encoding is examined. A larger file is replaced only by UTF-8 text. */
const mostEncoded = 67_108_864

/** The mode and owner of an existing file. `reach` is the path of the file through the handle of its folder. */
const existing = Effect.fnUntraced(function* (file: string, reach: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* ifFound(fs.lstat(reach))
  if (info === undefined) return undefined
  if (info.type === "Directory") return yield* cannotWrite(file, "it is a folder")
  if (info.type !== "File") return yield* cannotWrite(file, "it is not a regular file")
  return { mode: info.mode & 0o7777, uid: info.uid, gid: info.gid, size: Number(info.size) }
})

/** Encodes the text like the file that it replaces. */
const encoded = Effect.fnUntraced(function* (file: string, reach: string, text: string, size: number | undefined) {
  const fs = yield* FileSystem.FileSystem
  const before =
    size === undefined || size > mostEncoded
      ? undefined
      : yield* Effect.orElseSucceed(fs.readFile(reach), () => undefined)
  return yield* Effect.mapError(Effect.fromResult(encodeLike(before, text)), (why) => cannotEncode(file, why))
})

/**
 * Gives the new file the old owner and group, if this user may. A change of owner clears mode bits, so the mode is set
 * again.
 */
const keepOwner = Effect.fnUntraced(
  function* (temporary: string, { gid, uid }: Pick<FileSystem.File.Info, "uid" | "gid">, mode: number | undefined) {
    const fs = yield* FileSystem.FileSystem
    const made = yield* fs.stat(temporary)
    if (Option.isNone(uid) || Option.isNone(gid)) return
    if (Option.contains(made.uid, uid.value) && Option.contains(made.gid, gid.value)) return
    yield* fs.chown(temporary, uid.value, gid.value)
    if (mode !== undefined) yield* fs.chmod(temporary, mode)
  },
  (effect) => Effect.ignore(effect)
)

interface Expected {
  /** The hash of the text from which an edit was computed. */
  readonly base?: string
  /**
   * The state of the file when the write was approved. Named as in `WriteAccess`, because callers pass a whole
   * `WriteAccess`.
   */
  readonly found?: string
}

/** What a write sets besides the text: the kind of file, or an exact mode. */
interface Made extends Expected {
  readonly kind?: FileKind
  /** The file that is moved to this path, with its bytes and mode. */
  readonly from?: FileEntry
  /** The folder that is removed or moved as a whole. Absent if only the file is removed or moved. */
  readonly folder?: string
  readonly mode?: number
}

const modeOf = ({ kind, mode }: Made, old: number | undefined): number | undefined => {
  if (mode !== undefined) return mode
  if (kind === undefined || kind === "link") return old
  return old === undefined && kind === "plain" ? undefined : modeAs(kind, old ?? newFileMode & ~process.umask())
}

/** True if the text of the file no longer has this hash. */
const changed = Effect.fnUntraced(function* (reach: string, base: string) {
  const now = decodeFile(yield* FileSystem.FileSystem.use((fs) => fs.readFile(reach)))
  return Result.isFailure(now) || hashOf(now.success.text) !== base
})

const changedMeanwhile = (file: string, end: string) => {
  const message = `${file} was changed after the call was checked, so ${end}`
  return new ToolFailure({ type: "validation_failed", message })
}

/** Fails if the file has changed since the write was approved. */
const requireExpected = Effect.fnUntraced(function* (file: string, reach: string, { base, found }: Expected) {
  const isOther = found !== undefined && (yield* contentState(reach)) !== found
  if (!isOther && (base === undefined || !(yield* changed(reach, base)))) return
  return yield* changedMeanwhile(file, "nothing was written. Read it again and repeat the call.")
})

const failure = (what: string, file: string) => (error: unknown) => {
  const { code = "error" } = (error ?? {}) as NodeJS.ErrnoException
  return new ToolFailure({ type: "io_error", message: `Cannot ${what} ${file}: the system says ${code}.` })
}

/**
 * Gives a file a second, temporary name by a hard link, without reading its bytes. If the system refuses hard links,
 * copies the file. Fails if the file has changed.
 */
const takeBytes = Effect.fnUntraced(function* (from: FileEntry, temporary: string, onCreated: () => void) {
  const source = yield* openDirectory(path.dirname(from.path))
  const reach = path.join(source.path, path.basename(from.path))
  const requireSame = Effect.flatMap(contentState(reach), (state) =>
    state === from.state ? Effect.void : changedMeanwhile(from.path, "nothing was moved. Repeat the call.")
  )
  yield* requireSame
  const take = Effect.tryPromise({
    try: () =>
      link(reach, temporary).catch(() =>
        copyFile(reach, temporary, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
      ),
    catch: failure("move", from.path)
  })
  yield* Effect.uninterruptible(Effect.ensuring(take, Effect.sync(onCreated)))
  yield* requireSame
})

/**
 * Writes a whole text, or bytes, to a canonical path. Creates missing folders. Fails and writes nothing if the file has
 * changed.
 *
 * An existing text file keeps its owner and encoding, and its mode unless the change sets one. A hard link to the old
 * file keeps the old text. After a failure or interruption, the old text stays and the temporary file is removed.
 */
export const replaceFile = Effect.fn("replaceFile")(
  function* (file: string, newContent: string | Uint8Array, change: Made = {}) {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* makeAndOpenDirectory(path.dirname(file))
    const reach = path.join(folder.path, path.basename(file))
    const old = change.kind === "link" ? undefined : yield* existing(file, reach)
    if (old !== undefined) yield* fs.access(reach, { writable: true })
    const from = change.kind === "link" ? undefined : change.from
    const after = from?.state ?? textHash(newContent)
    const temporary = path.join(folder.path, temporaryName({ path: file, after }, yield* randomSuffix))
    const isText = typeof newContent === "string" && change.kind !== "link" && from === undefined
    const content = isText ? yield* encoded(file, reach, newContent, old?.size) : newContent
    const mode = modeOf(change, old?.mode)
    let created = false
    const onCreated = () => {
      created = true
    }
    yield* Effect.gen(function* () {
      yield* change.kind === "link"
        ? Effect.tap(fs.symlink(String(newContent), temporary), Effect.sync(onCreated))
        : from !== undefined
          ? takeBytes(from, temporary, onCreated)
          : createFile(temporary, content, mode, onCreated)
      if (old !== undefined) yield* keepOwner(temporary, old, mode)
      yield* requireExpected(file, reach, change)
      yield* Effect.uninterruptible(Effect.andThen(fs.rename(temporary, reach), folder.sync))
    }).pipe(Effect.onError(() => (created ? Effect.ignore(fs.remove(temporary, { force: true })) : Effect.void)))
  },
  (effect, file) => fileOperation("write", file)(effect)
)

/**
 * Removes the folders above a removed file if they are empty, from the inside out. The last folder that may be removed
 * is `outermost`.
 */
export const removeEmptied = (file: string, outermost: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    for (let at = path.dirname(file); isWithin(outermost, at); at = path.dirname(at)) {
      const isGone = await rmdir(at).then(
        () => true,
        ({ code }: NodeJS.ErrnoException) => code === "ENOENT"
      )
      if (!isGone) return
    }
  })

/** Removes the file, link or empty folder at a canonical path, unless it has changed. */
const removeEntry = Effect.fn("removeEntry")(
  function* (file: string, expected: Expected) {
    const fs = yield* FileSystem.FileSystem
    const info = yield* ifFound(fs.lstat(file))
    if (info === undefined) return
    const folder = yield* openDirectory(path.dirname(file))
    const reach = path.join(folder.path, path.basename(file))
    yield* requireExpected(file, reach, expected)
    const remove =
      info.type === "Directory"
        ? Effect.tryPromise({ try: () => rmdir(reach), catch: failure("remove", file) })
        : Effect.mapError(fs.remove(reach), fileFailure("remove", file))
    yield* Effect.uninterruptible(Effect.andThen(remove, folder.sync))
  },
  (effect, file) => fileOperation("remove", file)(effect)
)

const removeFile = (file: string, { folder, ...expected }: Made) =>
  Effect.tap(removeEntry(file, expected), folder === undefined ? Effect.void : removeEmptied(file, folder))

export const changeFile = (file: string, text: string | Uint8Array | null, made: Made = {}) =>
  text === null ? removeFile(file, made) : replaceFile(file, text, made)

/** Removes files with matching names from a folder that is no link. */
const removeNamed = Effect.fnUntraced(function* (folder: string, isMeant: (name: string) => boolean) {
  const fs = yield* FileSystem.FileSystem
  const opened = yield* openDirectory(folder)
  for (const name of (yield* fs.readDirectory(opened.path)).filter(isMeant)) {
    const file = path.join(opened.path, name)
    if ((yield* fs.lstat(file)).type === "File") yield* fs.remove(file)
  }
}, Effect.scoped)

const removeTemporaryFile = (write: Write) =>
  removeNamed(path.dirname(write.path), (name) => name.startsWith(beginningOf(write)) && name.endsWith(".tmp"))

/**
 * Removes the temporary files of these writes after their process was killed. Ignores errors. Must not run during one
 * of these writes.
 */
export const removeTemporaryFiles = Effect.fn("removeTemporaryFiles")((writes: ReadonlyArray<Write>) =>
  Effect.forEach(writes, (write) => Effect.ignore(removeTemporaryFile(write)), { discard: true })
)

const anyTemporary = /^\.task-conductor-[\da-f]{16}-[\da-z]+\.tmp$/

/** Folders that are not searched for temporary files, because no tool writes there or because they are too large. */
const passedOver: ReadonlySet<string> = new Set([".git", "node_modules"])

/** Removes all temporary files that killed processes left below a folder. Must not run while a process writes there. */
export const removeAllTemporaryFiles = Effect.fn("removeAllTemporaryFiles")(function* (root: string) {
  const folders = [root]
  for (const folder of folders) {
    const entries = yield* Effect.orElseSucceed(
      Effect.tryPromise(() => readdir(folder, { withFileTypes: true })),
      () => []
    )
    folders.push(
      ...entries.flatMap((one) => (one.isDirectory() && !passedOver.has(one.name) ? [path.join(folder, one.name)] : []))
    )
    if (entries.some(({ name }) => anyTemporary.test(name))) {
      yield* Effect.ignore(removeNamed(folder, (name) => anyTemporary.test(name)))
    }
  }
})
