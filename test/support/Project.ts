/**
 * A project folder on the real disk for one test: made of the given files, removed afterwards.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"

/** Makes a temporary folder; gives its real path. */
export const makeFolder = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  return yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "task-conductor-test-" }))
})

/** Puts files into a folder; keys are paths relative to it. */
export const putFiles = Effect.fnUntraced(function* (folder: string, files: Readonly<Record<string, string>>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name)
    yield* fs.makeDirectory(path.dirname(file), { recursive: true })
    yield* fs.writeFileString(file, text)
  }
})

/** A temporary folder with files. */
export const makeProject = Effect.fnUntraced(function* (files: Readonly<Record<string, string>>) {
  const folder = yield* makeFolder
  yield* putFiles(folder, files)
  return folder
})
