/**
 * Files of the person that nobody else may read: written in one step, with mode 0600 in a folder of mode 0700. A process
 * that is killed leaves the old text or the new one.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Random from "effect/Random"
import { makeFolders } from "./MakeFolder.ts"

const fileMode = 0o600
const folderMode = 0o700

const randomSuffix = Effect.map(Random.nextIntBetween(0, Number.MAX_SAFE_INTEGER), (one) => one.toString(36))

/** Replaces or creates the file. */
export const writePrivateFile = Effect.fn("writePrivateFile")(function* (file: string, text: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  yield* makeFolders(path.dirname(file), folderMode)
  const temporary = `${file}.${yield* randomSuffix}.tmp`
  const fill = Effect.gen(function* () {
    const handle = yield* fs.open(temporary, { flag: "wx", mode: fileMode })
    yield* handle.writeAll(new TextEncoder().encode(text))
    yield* handle.sync
  })
  yield* Effect.scoped(fill).pipe(
    Effect.andThen(fs.rename(temporary, file)),
    Effect.onError(() => Effect.ignore(fs.remove(temporary, { force: true })))
  )
})

/** Adds text to the end of the file, in one write. */
export const appendPrivateFile = Effect.fn("appendPrivateFile")(function* (file: string, text: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  yield* makeFolders(path.dirname(file), folderMode)
  yield* fs.writeFileString(file, text, { flag: "a", mode: fileMode })
})
