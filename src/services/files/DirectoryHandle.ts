/**
 * A handle of an open folder. It still leads to this folder after somebody replaced the folder by a link. On Linux,
 * files are accessed through the handle. On other systems, the path is checked again, so a swap right after the check
 * remains possible.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as path from "node:path"
import type { PlatformError } from "effect/PlatformError"
import type * as Scope from "effect/Scope"
import { linkAt } from "./FileLook.ts"
import { makeDirectory } from "./PrivateFile.ts"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"

export interface DirectoryHandle {
  readonly path: string
  /** Flushes created and renamed entries to disk, if the system can. */
  readonly sync: Effect.Effect<void>
}

/** The path of an open file or folder through its descriptor, if the system has one. */
const descriptorPath = (handle: FileSystem.File): string | undefined =>
  "fd" in handle && typeof handle.fd === "number" ? `/proc/self/fd/${handle.fd}` : undefined

const becameLink = (folder: string) =>
  new ToolFailure({
    type: "io_error",
    message: `The folder ${folder} was replaced by a link after it was checked. Nothing was read or changed.`
  })

/** Opens the folder at a canonical path, through the path `reach`, until the scope closes. */
const open = Effect.fnUntraced(function* (folder: string, reach: string) {
  const fs = yield* FileSystem.FileSystem
  const { type } = yield* fs.lstat(reach)
  if (type === "SymbolicLink") return yield* becameLink(folder)
  if (type !== "Directory") return yield* new ToolFailure({ type: "io_error", message: `${folder} is not a folder.` })
  /** Does not follow links. A folder that can be traversed but not opened has no handle. */
  const handle = yield* Effect.catchTag(fs.open(reach, { noFollow: true }), "PlatformError", (error) =>
    ["BadArgument", "PermissionDenied"].includes(error.reason._tag) ? Effect.undefined : Effect.fail(error)
  )
  const descriptor = handle === undefined ? undefined : descriptorPath(handle)
  /** If the system gives no path for an open folder, the real path is determined again. */
  const place = descriptor === undefined ? undefined : yield* linkAt(descriptor)
  const real = place ?? (yield* fs.realPath(folder))
  if (real !== folder) return yield* becameLink(folder)
  const opened: DirectoryHandle = {
    path: place === undefined || descriptor === undefined ? folder : descriptor,
    sync: handle === undefined ? Effect.void : Effect.ignore(handle.sync)
  }
  return opened
})

export const openDirectory = (folder: string) => open(folder, folder)

/** Opens a folder at a canonical path, after creating it and its missing parents. */
export const makeAndOpenDirectory: (
  folder: string
) => Effect.Effect<DirectoryHandle, PlatformError | ToolFailure, FileSystem.FileSystem | Scope.Scope> =
  Effect.fnUntraced(function* (folder: string) {
    const fs = yield* FileSystem.FileSystem
    if (yield* fs.exists(folder)) return yield* openDirectory(folder)
    const parent = yield* makeAndOpenDirectory(path.dirname(folder))
    const reach = path.join(parent.path, path.basename(folder))
    yield* makeDirectory(reach)
    yield* parent.sync
    return yield* open(folder, reach)
  })
