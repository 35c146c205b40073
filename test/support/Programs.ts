/**
 * A folder with programs of some names, to be used as a search path: they are there, and do nothing.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { makeFolder, putFiles } from "./Project.ts"

export const makePrograms = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* makeFolder
  yield* putFiles(folder, Object.fromEntries(names.map((name) => [name, "#!/bin/sh\n"])))
  for (const name of names) yield* fs.chmod(`${folder}/${name}`, 0o755)
  return folder
})
