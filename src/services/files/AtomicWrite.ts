/**
 * Replaces or creates a file in one step: a reader sees the old text or the new one, never a part. The new text goes to
 * a temporary file in the same folder, is flushed to the disk and renamed over the old one.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import { decodeText, hasByteOrderMark } from "../../domain/text/TextEncoding.ts"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { hashOf, textHash } from "./Hash.ts"
import { fileFailure } from "./FileFailure.ts"
import { makeAndOpenDirectory } from "./DirectoryHandle.ts"
import { temporaryName } from "./WriteLeftovers.ts"

const newFileMode = 0o666
const byteOrderMark = "\uFEFF"

const refuse = (file: string, what: string) =>
  new ToolFailure({ type: "io_error", message: `Cannot write ${file}: ${what}. Nothing was changed.` })

/** What stands at the path now, reached through its held folder: its mode and whether it begins with a mark. */
const existing = Effect.fnUntraced(function* (file: string, reach: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* fs
    .lstat(reach)
    .pipe(
      Effect.catchTag("PlatformError", (error) =>
        error.reason._tag === "NotFound" ? Effect.succeed(undefined) : Effect.fail(error)
      )
    )
  if (info === undefined) return undefined
  if (info.type === "Directory") return yield* refuse(file, "it is a folder")
  if (info.type !== "File") return yield* refuse(file, "it is not a regular file")
  yield* fs.access(reach, { writable: true })
  const start = yield* fs.open(reach).pipe(
    Effect.flatMap((handle) => handle.readAlloc(3)),
    Effect.scoped,
    Effect.orElseSucceed(() => Option.none<Uint8Array>())
  )
  return { mode: info.mode & 0o7777, marked: Option.exists(start, hasByteOrderMark) }
})

/** A new file with this text, closed and on the disk; `onCreated` runs as soon as the file is there. */
const fill = Effect.fnUntraced(function* (file: string, text: string, mode: number | undefined, onCreated: () => void) {
  const fs = yield* FileSystem.FileSystem
  const open = fs.open(file, { flag: "wx", mode: mode ?? newFileMode })
  const handle = yield* Effect.uninterruptible(Effect.tap(open, () => Effect.sync(onCreated)))
  yield* handle.writeAll(new TextEncoder().encode(text))
  yield* handle.sync
  if (mode !== undefined) yield* fs.chmod(file, mode)
}, Effect.scoped)

/** Another text than the one with this hash stands there now. */
const changed = Effect.fnUntraced(function* (reach: string, base: string) {
  const fs = yield* FileSystem.FileSystem
  const now = decodeText(yield* fs.readFile(reach))
  return Result.isFailure(now) || hashOf(now.success) !== base
})

/** What an edit was made for must still stand there. */
const requireBase = Effect.fnUntraced(function* (file: string, reach: string, base: string | undefined) {
  if (base === undefined || !(yield* changed(reach, base))) return
  const message = `${file} was changed after the edit was checked, so nothing was written. Read it again and repeat the edit.`
  return yield* new ToolFailure({ type: "validation_failed", message })
})

/**
 * Writes the whole text to a canonical path; with `base`, only over a text with that hash. Missing folders are made; the mode and the byte order mark of an existing
 * file stay; a hard link to it keeps the old text. Whatever goes wrong, also an interruption, the old text stays and no
 * temporary file is left; what a killed process leaves is removed when its run goes on.
 */
export const replaceFile = Effect.fn("replaceFile")(
  function* (file: string, text: string, base?: string) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const folder = yield* makeAndOpenDirectory(path.dirname(file))
    const reach = path.join(folder.path, path.basename(file))
    const old = yield* existing(file, reach)
    const suffix = (yield* Random.nextIntBetween(0, Number.MAX_SAFE_INTEGER)).toString(36)
    const temporary = path.join(folder.path, temporaryName({ path: file, after: textHash(text) }, suffix))
    const content = old?.marked === true && !text.startsWith(byteOrderMark) ? byteOrderMark + text : text
    let created = false
    yield* Effect.gen(function* () {
      yield* fill(temporary, content, old?.mode, () => {
        created = true
      })
      yield* requireBase(file, reach, base)
      yield* Effect.uninterruptible(Effect.andThen(fs.rename(temporary, reach), folder.sync))
    }).pipe(Effect.onError(() => (created ? Effect.ignore(fs.remove(temporary, { force: true })) : Effect.void)))
  },
  (effect, file) =>
    effect.pipe(
      Effect.scoped,
      Effect.catchTag("PlatformError", (error) => Effect.fail(fileFailure("write", file)(error)))
    )
)
