/**
 * Reads text files so that nothing can hang or flood: the kind of file is known before it is opened, the size is
 * bounded while it is read, the bytes are UTF-8 or the failure says what they are.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { compareCodePoints } from "../domain/CodePointOrder.ts"
import { decodeText } from "../domain/TextEncoding.ts"
import { ToolFailure } from "../domain/ToolFailure.ts"
import { fileFailure } from "./FileFailure.ts"
import { holdFolder } from "./HeldFolder.ts"

const chunkBytes = 262_144

const kinds: Readonly<Record<FileSystem.File.Type, string>> = {
  File: "a file",
  Directory: "a folder",
  SymbolicLink: "a link now and was not when it was checked",
  BlockDevice: "a device",
  CharacterDevice: "a device",
  FIFO: "a pipe",
  Socket: "a socket",
  Unknown: "of an unknown kind"
}

const megabytes = (bytes: number): string =>
  bytes < 1_048_576 ? `${bytes} bytes` : `${Math.round(bytes / 104_857.6) / 10} MB`

const tooLarge = (file: string, maxBytes: number): ToolFailure =>
  new ToolFailure({
    type: "output_limit",
    message: `${file} is larger than ${megabytes(maxBytes)}. Search it, or name a smaller file.`
  })

/** Says that this is a folder and names some of the files in it. */
const folderFailure = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const entries = yield* fs.readDirectoryEntries(folder).pipe(Effect.orElseSucceed(() => []))
  const files = entries.filter((entry) => entry.type === "File").map((entry) => path.join(folder, entry.name))
  const named = files.sort(compareCodePoints).slice(0, 5).join(", ")
  const hint = named === "" ? "It holds no files itself." : `Name a file in it: ${named}.`
  return new ToolFailure({ type: "io_error", message: `${folder} is a folder, not a file. ${hint}` })
})

const requireRegular = Effect.fnUntraced(function* (file: string, info: FileSystem.File.Info) {
  if (info.type === "Directory") return yield* yield* folderFailure(file)
  if (info.type !== "File") {
    const message = `${file} is ${kinds[info.type]}. Only regular files can be read.`
    return yield* new ToolFailure({ type: "io_error", message })
  }
})

/** Opens a file in its held folder, without following a link where the system can do that. */
const openSafely = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = yield* holdFolder(path.dirname(file))
  const reach = path.join(folder.path, path.basename(file))
  return yield* fs
    .open(reach, { noFollow: true })
    .pipe(
      Effect.catchTag("PlatformError", (error) =>
        error.reason._tag === "BadArgument" ? fs.open(reach) : Effect.fail(error)
      )
    )
})

/** All bytes of a regular file; the size is bounded by what is read, since a file can grow or lie about its size. */
const readBytes = Effect.fnUntraced(
  function* (file: string, maxBytes: number) {
    const fs = yield* FileSystem.FileSystem
    const before = yield* fs.lstat(file)
    yield* requireRegular(file, before)
    if (before.size > BigInt(maxBytes)) return yield* tooLarge(file, maxBytes)
    const handle = yield* openSafely(file)
    yield* requireRegular(file, yield* handle.stat)
    const chunks: Array<Uint8Array> = []
    let total = 0
    while (true) {
      const chunk = yield* handle.readAlloc(chunkBytes)
      if (Option.isNone(chunk)) return Buffer.concat(chunks, total)
      chunks.push(chunk.value)
      total += chunk.value.length
      if (total > maxBytes) return yield* tooLarge(file, maxBytes)
    }
  },
  (effect, file) =>
    effect.pipe(
      Effect.scoped,
      Effect.catchTag("PlatformError", (error) => Effect.fail(fileFailure("read", file)(error)))
    )
)

/** Reads a UTF-8 file at a canonical path; failures as services/Workspace promises them. */
export const readTextFile = Effect.fn("readTextFile")(function* (file: string, maxBytes: number) {
  const bytes = yield* readBytes(file, maxBytes)
  return yield* Effect.fromResult(decodeText(bytes)).pipe(
    Effect.mapError((why) => new ToolFailure({ type: "parse_error", message: `${file} is not text: ${why}.` }))
  )
})
