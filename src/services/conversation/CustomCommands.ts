/**
 * Finds custom commands: markdown files in the folder `commands` of the user's settings, and in
 * `.task-conductor/commands` of the project. A command of the user hides a command of the project with the same name.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { commandName, type CustomCommand, readCustomCommand } from "../../domain/conversation/CustomCommand.ts"
import type { UserFolders } from "../configuration/UserFolders.ts"
import { canonicalPath } from "../files/CanonicalPath.ts"
import { readTextFile } from "../files/TextFile.ts"

const mostBytes = 100_000

/** The commands in a folder. Skips unreadable files, and links that lead out of `root`. */
const commandsIn = Effect.fnUntraced(function* (folder: string, root: string, isOwn: boolean) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const files = yield* Effect.orElseSucceed(fs.readDirectory(folder), () => [])
  const read = Effect.fnUntraced(function* (file: string) {
    const name = commandName(file)
    if (name === undefined) return []
    const found = yield* canonicalPath(root, path.join(folder, file))
    if (!found.inside) return []
    return [readCustomCommand(name, yield* readTextFile(found.path, mostBytes), isOwn)]
  })
  const commands = yield* Effect.forEach(files.toSorted(), (file) =>
    Effect.orElseSucceed(read(file), (): ReadonlyArray<CustomCommand> => [])
  )
  return commands.flat()
})

export const customCommands = Effect.fn("customCommands")(function* ({
  folders,
  project
}: {
  readonly folders: Pick<UserFolders, "settings">
  readonly project: string
}) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const real = (folder: string) => Effect.orElseSucceed(fs.realPath(folder), () => folder)
  const ofUser = yield* commandsIn(path.join(folders.settings, "commands"), yield* real(folders.settings), true)
  const ofProject = yield* commandsIn(path.join(project, ".task-conductor/commands"), yield* real(project), false)
  const names = new Set(ofUser.map(({ name }) => name))
  return [...ofUser, ...ofProject.filter(({ name }) => !names.has(name))]
})
