/**
 * Looks through all folders of a project for what needs care when programs run there: repositories, files that look like
 * secrets, and files that control this program or are run by others. Nothing is left out because git ignores it.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { isBareRepository } from "../../domain/files/GitConfig.ts"
import { isAutomatic, isControlPath, isSecretLike, secretFolders } from "../../domain/files/SensitivePath.ts"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"

/** What was found, as absolute paths. */
export interface ProjectWalk {
  /** Entries named `.git`: folders, files and links. */
  readonly git: ReadonlyArray<string>
  /** Folders that git takes for repositories although they are not named `.git`. */
  readonly bare: ReadonlyArray<string>
  /** Files and folders with keys, passwords or tokens, by their names. */
  readonly secrets: ReadonlyArray<string>
  /** Files and folders that control this program. */
  readonly controls: ReadonlyArray<string>
  /** Files that programs run or read by themselves. */
  readonly automatic: ReadonlyArray<string>
}

const maxEntries = 1_000_000
const foldersAtOnce = 16

/** The first letters of names that control this program: most names need no closer look. */
const mayControl = /^[.t]/i

/** Folders of installed packages. What they hold was downloaded, such as the certificates of a library. */
const installed: ReadonlySet<string> = new Set(["node_modules", "site-packages", "dist-packages"])

const tooLarge = new ToolFailure({
  type: "io_error",
  message: `The project has more than ${maxEntries} files and folders, too many to protect them from commands. Give a smaller folder with --project.`
})

interface Folder {
  readonly path: string
  readonly isInstalled: boolean
}

/** Fails with `io_error` for a project that is too large. A folder that cannot be listed is left out. */
export const walkProject = Effect.fn("walkProject")(function* (root: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const found = {
    git: new Array<string>(),
    bare: new Array<string>(),
    secrets: new Array<string>(),
    controls: new Array<string>(),
    automatic: new Array<string>()
  }
  let entries = 0

  const note = (folder: Folder, name: string, isFolder: boolean): Folder | undefined => {
    const full = `${folder.path}${path.sep}${name}`
    if (name === ".git") found.git.push(full)
    else if (mayControl.test(name) && isControlPath(name)) found.controls.push(full)
    else if (isFolder) {
      if (!secretFolders.has(name)) return { path: full, isInstalled: folder.isInstalled || installed.has(name) }
      found.secrets.push(full)
    } else if (!folder.isInstalled) {
      const relative = full.slice(root.length + 1)
      if (isSecretLike(relative)) found.secrets.push(full)
      if (isAutomatic(relative)) found.automatic.push(full)
    }
    return undefined
  }

  const visit = Effect.fnUntraced(function* (folder: Folder) {
    const listed = yield* Effect.orElseSucceed(fs.readDirectoryEntries(folder.path), () => [])
    entries += listed.length
    if (entries > maxEntries) return yield* tooLarge
    if (isBareRepository(new Set(listed.map(({ name }) => name)))) {
      found.bare.push(folder.path)
      return []
    }
    return listed.flatMap(({ name, type }) => note(folder, name, type === "Directory") ?? [])
  })

  let level: ReadonlyArray<Folder> = [{ path: root, isInstalled: false }]
  while (level.length > 0) {
    level = (yield* Effect.forEach(level, visit, { concurrency: foldersAtOnce })).flat()
  }
  const walk: ProjectWalk = found
  return walk
})
