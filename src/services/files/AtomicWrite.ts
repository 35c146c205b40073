/**
 * Replaces, creates or removes a file in one step: a reader sees the old text or the new one, never a part. The new text is written
 * to a temporary file in the same folder, flushed to the disk and renamed. The name of the temporary file identifies the
 * write, so that a resumed run can remove what a killed process left, and nothing else.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import { readdir } from "node:fs/promises"
import * as path from "node:path"
import * as Result from "effect/Result"
import { type FileKind, modeAs } from "../../domain/files/FileKind.ts"
import { decodeText, hasByteOrderMark } from "../../domain/text/TextEncoding.ts"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { contentState, hashOf, textHash } from "./Hash.ts"
import { fileFailure, ifFound } from "./FileFailure.ts"
import { createFile, newFileMode, randomSuffix } from "./PrivateFile.ts"
import { makeAndOpenDirectory, openDirectory } from "./DirectoryHandle.ts"
import type { FileState } from "../../domain/journal/JournalRecord.ts"

const byteOrderMark = "\uFEFF"

/** One write: the canonical path of its target, and the hash of the new text. */
type Write = Pick<FileState, "path" | "after">

const beginningOf = ({ after, path }: Write): string => `.task-conductor-${hashOf([path, after]).slice(0, 16)}-`

/** The name of the temporary file of a write; `suffix` distinguishes the same write by another process. */
export const temporaryName = (write: Write, suffix: string): string => `${beginningOf(write)}${suffix}.tmp`

const cannotWrite = (file: string, what: string) =>
  new ToolFailure({ type: "io_error", message: `Cannot write ${file}: ${what}. Nothing was changed.` })

/** The mode and owner of the existing file, and whether it begins with a byte order mark; `reach` is its path through the folder handle. */
const existing = Effect.fnUntraced(function* (file: string, reach: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* ifFound(fs.lstat(reach))
  if (info === undefined) return undefined
  if (info.type === "Directory") return yield* cannotWrite(file, "it is a folder")
  if (info.type !== "File") return yield* cannotWrite(file, "it is not a regular file")
  yield* fs.access(reach, { writable: true })
  const start = yield* fs.open(reach).pipe(
    Effect.flatMap((handle) => handle.readAlloc(3)),
    Effect.scoped,
    Effect.orElseSucceed(() => Option.none<Uint8Array>())
  )
  return { mode: info.mode & 0o7777, uid: info.uid, gid: info.gid, marked: Option.exists(start, hasByteOrderMark) }
})

/**
 * Gives the new file the owner and group of the one that it replaces, as far as this user may. The mode is set again, since a change of
 * owner takes bits from it.
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

/** What a write expects at its path. */
interface Expected {
  /** The hash of the text that an edit was computed from. */
  readonly base?: string
  /** What was there when the host looked. */
  readonly found?: string
}

/** What a write makes besides the text: what the file becomes, or exactly this mode. */
interface Made extends Expected {
  readonly kind?: FileKind
  readonly mode?: number
}

const modeOf = ({ kind, mode }: Made, old: number | undefined): number | undefined => {
  if (mode !== undefined) return mode
  if (kind === undefined || kind === "link") return old
  return old === undefined && kind === "plain" ? undefined : modeAs(kind, old ?? newFileMode & ~process.umask())
}

/** True when the file does not have the text with this hash. */
const changed = Effect.fnUntraced(function* (reach: string, base: string) {
  const now = decodeText(yield* FileSystem.FileSystem.use((fs) => fs.readFile(reach)))
  return Result.isFailure(now) || hashOf(now.success) !== base
})

/** Fails when something else is there than the write expects. */
const requireExpected = Effect.fnUntraced(function* (file: string, reach: string, { base, found }: Expected) {
  const isOther = found !== undefined && (yield* contentState(reach)) !== found
  if (!isOther && (base === undefined || !(yield* changed(reach, base)))) return
  const message = `${file} was changed after the call was checked, so nothing was written. Read it again and repeat the call.`
  return yield* new ToolFailure({ type: "validation_failed", message })
})

/**
 * Writes the whole text, or these bytes, to a canonical path; nothing when something else is there than expected. Missing folders are
 * made. The mode, the owner and the byte order mark of an existing file stay, unless another mode is asked for; a hard link to it keeps the
 * old text. On any failure or interruption the old text stays and the temporary file is removed.
 */
export const replaceFile = Effect.fn("replaceFile")(
  function* (file: string, given: string | Uint8Array, made: Made = {}) {
    const fs = yield* FileSystem.FileSystem
    const folder = yield* makeAndOpenDirectory(path.dirname(file))
    const reach = path.join(folder.path, path.basename(file))
    const old = made.kind === "link" ? undefined : yield* existing(file, reach)
    const after = textHash(given)
    const temporary = path.join(folder.path, temporaryName({ path: file, after }, yield* randomSuffix))
    const needsMark = typeof given === "string" && old?.marked === true && !given.startsWith(byteOrderMark)
    const content = needsMark ? byteOrderMark + given : given
    const mode = modeOf(made, old?.mode)
    let created = false
    const onCreated = () => {
      created = true
    }
    yield* Effect.gen(function* () {
      yield* made.kind === "link"
        ? Effect.tap(fs.symlink(String(given), temporary), Effect.sync(onCreated))
        : createFile(temporary, content, mode, onCreated)
      if (old !== undefined) yield* keepOwner(temporary, old, mode)
      yield* requireExpected(file, reach, made)
      yield* Effect.uninterruptible(Effect.andThen(fs.rename(temporary, reach), folder.sync))
    }).pipe(Effect.onError(() => (created ? Effect.ignore(fs.remove(temporary, { force: true })) : Effect.void)))
  },
  (effect, file) =>
    effect.pipe(
      Effect.scoped,
      Effect.catchTag("PlatformError", (error) => Effect.fail(fileFailure("write", file)(error)))
    )
)

/** Removes the file, or the link, at a canonical path; nothing when something else is there than expected. */
const removeFile = Effect.fn("removeFile")(
  function* (file: string, expected: Expected) {
    const fs = yield* FileSystem.FileSystem
    if ((yield* ifFound(fs.lstat(file))) === undefined) return
    const folder = yield* openDirectory(path.dirname(file))
    const reach = path.join(folder.path, path.basename(file))
    yield* requireExpected(file, reach, expected)
    yield* Effect.uninterruptible(Effect.andThen(fs.remove(reach), folder.sync))
  },
  (effect, file) =>
    effect.pipe(
      Effect.scoped,
      Effect.catchTag("PlatformError", (error) => Effect.fail(fileFailure("write", file)(error)))
    )
)

/** Gives the file this text; null removes it. */
export const changeFile = (file: string, text: string | Uint8Array | null, made: Made = {}) =>
  text === null ? removeFile(file, made) : replaceFile(file, text, made)

/** Removes files by their names from a folder; none of them may be a link. */
const removeNamed = Effect.fnUntraced(function* (folder: string, isMeant: (name: string) => boolean) {
  const fs = yield* FileSystem.FileSystem
  const opened = yield* openDirectory(folder)
  for (const name of (yield* fs.readDirectory(opened.path)).filter(isMeant)) {
    const file = path.join(opened.path, name)
    if ((yield* fs.lstat(file)).type === "File") yield* fs.remove(file)
  }
}, Effect.scoped)

const removeLeftover = (write: Write) =>
  removeNamed(path.dirname(write.path), (name) => name.startsWith(beginningOf(write)) && name.endsWith(".tmp"))

/** Removes the temporary files that these writes left when their process was killed; errors are ignored. No such write may be in progress. */
export const removeLeftovers = Effect.fn("removeLeftovers")((writes: ReadonlyArray<Write>) =>
  Effect.forEach(writes, (write) => Effect.ignore(removeLeftover(write)), { discard: true })
)

const anyTemporary = /^\.task-conductor-[\da-f]{16}-[\da-z]+\.tmp$/

/** Where no tool writes, or far too much lies to look at. */
const passedOver: ReadonlySet<string> = new Set([".git", "node_modules"])

/** Removes the temporary files that any writes below a folder left when their process was killed. No write may be in progress there. */
export const removeAllLeftovers = Effect.fn("removeAllLeftovers")(function* (root: string) {
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
