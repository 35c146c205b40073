/**
 * Finds a program in the folders of a search path, as the system does, so that nobody is asked about a missing program.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"

/** True for the path of an executable file. */
export const isExecutable = Effect.fnUntraced(function* (file: string) {
  const info = yield* Effect.option((yield* FileSystem.FileSystem).stat(file))
  return Option.exists(info, ({ mode, type }) => type === "File" && (mode & 0o111) !== 0)
})

/** The path of the first executable file of this name. */
export const findProgram = Effect.fnUntraced(function* (name: string, folders: ReadonlyArray<string>) {
  const path = yield* Path.Path
  for (const folder of folders) {
    const file = path.join(folder, name)
    if (path.isAbsolute(folder) && (yield* isExecutable(file))) return Option.some(file)
  }
  return Option.none<string>()
})
