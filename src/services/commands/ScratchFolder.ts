/**
 * Folders for what commands write while they run, private to this process. A process that was killed leaves its folder; the
 * next one that looks removes it.
 */
import { chmod, readdir, rm, rmdir } from "node:fs/promises"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as path from "node:path"
import * as Random from "effect/Random"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { fileFailure } from "../files/FileFailure.ts"
import { takeLock } from "../files/Lock.ts"
import { makeFolders } from "../files/PrivateFile.ts"

const folderMode = 0o700

const openAll = async (folder: string): Promise<void> => {
  await chmod(folder, folderMode)
  const entries = await readdir(folder, { withFileTypes: true })
  for (const entry of entries) if (entry.isDirectory()) await openAll(path.join(folder, entry.name))
}

const remove = (folder: string) => rm(folder, { recursive: true, force: true })

/** Removes a folder with everything in it, also what nobody may read; overlays leave a folder of mode 000. */
export const removeTree = (folder: string): Effect.Effect<void> =>
  Effect.ignore(Effect.tryPromise(() => remove(folder).catch(() => openAll(folder).then(() => remove(folder)))))

/** While a process has this lock, its folder is not removed by another. */
const lockFolder = (parent: string, folder: string) =>
  takeLock(folder, { folder: parent, runId: folder, what: `The folder ${folder}` })

const removeDead = Effect.fn("removeDeadFolders")(function* (parent: string) {
  const fs = yield* FileSystem.FileSystem
  for (const name of yield* fs.readDirectory(parent)) {
    const folder = path.join(parent, name)
    const removal = Effect.andThen(lockFolder(parent, folder), removeTree(folder))
    yield* Effect.ignore(Effect.scoped(removal))
  }
})

/** Makes a folder in `parent` that is removed when the scope closes, and removes those whose process is gone. */
export const openScratch = Effect.fn("openScratch")(
  function* (parent: string) {
    const fs = yield* FileSystem.FileSystem
    yield* makeFolders(parent, folderMode)
    const real = yield* fs.realPath(parent)
    yield* removeDead(real)
    const suffix = yield* Random.nextIntBetween(0, Number.MAX_SAFE_INTEGER)
    const folder = path.join(real, `${process.pid}-${suffix.toString(36)}`)
    yield* Effect.addFinalizer(() => Effect.ignore(Effect.tryPromise(() => rmdir(real))))
    yield* lockFolder(real, folder)
    yield* Effect.acquireRelease(makeFolders(folder, folderMode), () => removeTree(folder))
    return folder
  },
  (opening, parent) =>
    Effect.catchTag(opening, "PlatformError", (error) => Effect.fail(fileFailure("create", parent)(error))),
  Effect.mapError((error) =>
    error._tag === "ToolFailure" ? error : new ToolFailure({ type: "io_error", message: error.message })
  )
)
