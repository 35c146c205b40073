/**
 * Makes a folder with the folders above it, one by one. The recursive call of Node repeats itself without end below a
 * folder in which the system makes none, such as /proc.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"

/** Makes what is missing of a path, with this mode. Does nothing when the folder is there. */
export const makeFolders = Effect.fn("makeFolders")(function* (
  folder: string,
  mode: number
): Effect.fn.Return<void, PlatformError, FileSystem.FileSystem | Path.Path> {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const missing: Array<string> = []
  for (let at = path.resolve(folder); !(yield* fs.exists(at)); at = path.dirname(at)) {
    missing.unshift(at)
    if (at === path.dirname(at)) break
  }
  for (const one of missing) {
    /* Another process may have made it meanwhile. */
    yield* Effect.catchTag(fs.makeDirectory(one, { mode }), "PlatformError", (error) =>
      error.reason._tag === "AlreadyExists" ? Effect.void : Effect.fail(error)
    )
  }
})
