/**
 * Whether a folder can be taken for the person's own. What stands there may allow anything, so that it must not be a place
 * that a project or another user can write.
 */
import { userInfo } from "node:os"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { canonicalPath, isWithin } from "../files/CanonicalPath.ts"

/** The user who runs the program, as the system has it; nothing where it has none. */
export interface SystemUser {
  readonly home?: string
  readonly uid?: number
  readonly gid?: number
}

const readSystemUser = (): SystemUser => {
  try {
    const { gid, homedir, uid } = userInfo()
    return { home: homedir, ...(uid < 0 ? {} : { uid, gid }) }
  } catch {
    return {}
  }
}

export const CurrentUser = Context.Reference<SystemUser>(
  "task-conductor/services/configuration/FolderTrust/CurrentUser",
  { defaultValue: readSystemUser }
)

const groupCanWrite = 0o020
const othersCanWrite = 0o002
/** In such a folder everybody can make files, and only their owner can replace them. */
const sticky = 0o1000

/** The canonical path of a folder that may not exist yet. */
const canonical = (folder: string) =>
  canonicalPath(folder, folder).pipe(
    Effect.map(({ path }) => path),
    Effect.orElseSucceed(() => folder)
  )

/** Who else can write a folder that exists, in words. */
const otherWriter = Effect.fnUntraced(function* (folder: string) {
  const info = yield* Effect.option((yield* FileSystem.FileSystem).stat(folder))
  const { gid, uid } = yield* CurrentUser
  if (info._tag === "None" || uid === undefined) return undefined
  const { mode, ...owner } = info.value
  if (owner.uid._tag === "Some" && owner.uid.value !== uid && owner.uid.value !== 0) return "it belongs to another user"
  if ((mode & sticky) !== 0) return undefined
  if ((mode & othersCanWrite) !== 0) return "other users can write it"
  const isForeignGroup = owner.gid._tag === "Some" && owner.gid.value !== gid && owner.gid.value !== 0
  return (mode & groupCanWrite) !== 0 && isForeignGroup ? "other users can write it" : undefined
})

/**
 * Why a folder is not taken for the person's own, in words; nothing when it is. The person's home folder as the system has
 * it stays their own in a project around it.
 */
export const folderProblem = Effect.fn("folderProblem")(function* (folder: string, project: string) {
  const path = yield* Path.Path
  if (!path.isAbsolute(folder)) return "it is not an absolute path"
  const [real, root] = [yield* canonical(folder), yield* canonical(project)]
  const { home } = yield* CurrentUser
  const realHome = home === undefined ? undefined : yield* canonical(home)
  const isTrueHome = realHome !== undefined && isWithin(path, root, realHome) && isWithin(path, realHome, real)
  if (isWithin(path, root, real) && !isTrueHome) return "it lies in the project"
  return yield* otherWriter(real)
})
