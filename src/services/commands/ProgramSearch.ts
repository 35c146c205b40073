/**
 * Finds a program in the folders of a search path, as the system would. Called before a command is judged, so that nobody
 * is asked about a program that is not there, and by the sandbox.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"

const isProgram = Effect.fnUntraced(function* (file: string) {
  const info = yield* Effect.option((yield* FileSystem.FileSystem).stat(file))
  return Option.exists(info, ({ mode, type }) => type === "File" && (mode & 0o111) !== 0)
})

/** The path of the first executable file of this name. */
export const findProgram = Effect.fnUntraced(function* (name: string, folders: ReadonlyArray<string>) {
  const path = yield* Path.Path
  for (const folder of folders) {
    const file = path.join(folder, name)
    if (path.isAbsolute(folder) && (yield* isProgram(file))) return Option.some(file)
  }
  return Option.none<string>()
})

/** True for the path of an executable file. */
export const isExecutable = isProgram
