/**
 * The folders of the user who runs the program, by the XDG rules. Files in them can permit anything, so folders that
 * the project or other users could write are not used.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Config from "effect/Config"
import * as Option from "effect/Option"
import { userInfo } from "node:os"
import { canonicalPath, isWithin } from "../files/CanonicalPath.ts"

/** The current user according to the system; empty if unknown. */
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
/** The sticky bit of a folder: only the owner of a file in it can replace the file. */
const sticky = 0o1000

/** The canonical path of a folder, which may not exist yet. */
const canonical = (folder: string) =>
  canonicalPath(folder, folder).pipe(
    Effect.map(({ path }) => path),
    Effect.orElseSucceed(() => folder)
  )

/** True for the id of another user or group. The id of the system, 0, is not foreign. */
const isForeign = (id: Option.Option<number>, own: number | undefined): boolean =>
  Option.exists(id, (one) => one !== own && one !== 0)

/** Says who else can write an existing file or folder. Undefined if nobody else can. */
export const otherWriter = Effect.fnUntraced(function* (place: string) {
  const info = yield* Effect.option((yield* FileSystem.FileSystem).stat(place))
  const { gid, uid } = yield* CurrentUser
  if (info._tag === "None" || uid === undefined) return undefined
  const { gid: group, mode, type, uid: owner } = info.value
  if (isForeign(owner, uid)) return "it belongs to another user"
  if (type === "Directory" && (mode & sticky) !== 0) return undefined
  const writers = othersCanWrite | (isForeign(group, gid) ? groupCanWrite : 0)
  return (mode & writers) === 0 ? undefined : "other users can write it"
})

/**
 * Says why a folder cannot be used as the user's own; undefined if it can. Only the home folder that the system names
 * may lie in the project.
 */
export const folderProblem = Effect.fn("folderProblem")(function* (folder: string, project: string) {
  const path = yield* Path.Path
  if (!path.isAbsolute(folder)) return "it is not an absolute path"
  const [real, root] = [yield* canonical(folder), yield* canonical(project)]
  const { home } = yield* CurrentUser
  const realHome = home === undefined ? undefined : yield* canonical(home)
  const isTrueHome = realHome !== undefined && isWithin(root, realHome) && isWithin(realHome, real)
  if (isWithin(root, real) && !isTrueHome) return "it lies in the project"
  return yield* otherWriter(real)
})

/** The folders of the user. All paths are absolute. Only task-conductor itself uses `settings`, `state` and `locks`. */
export interface UserFolders {
  readonly home: string
  readonly config: string
  /** The folder for the user's configuration and permanent permissions. */
  readonly settings: string
  /** The folder in which runs are saved. */
  readonly state: string
  /** The folder for lock files of projects. All runs share it, wherever they are saved. */
  readonly locks: string
  /** Every folder of settings or state that any run might use, for example with other environment variables. */
  readonly candidates: ReadonlyArray<string>
  /** Sentences that say why folders were not used. */
  readonly notes: ReadonlyArray<string>
}

/** The value of an environment variable; undefined if it is unset or empty. */
export const environmentVariable = (name: string): Effect.Effect<string | undefined> =>
  Config.option(Config.String(name)).pipe(
    Effect.map((value) => Option.getOrUndefined(Option.filter(value, (text) => text !== ""))),
    Effect.orElseSucceed(() => undefined)
  )

/**
 * The folder in which a script saves runs; empty for the XDG folder. The run store and the protected paths both read it
 * from the context.
 */
export const StateFolder = Context.Reference<string>("task-conductor/services/configuration/UserFolders/StateFolder", {
  defaultValue: () => ""
})

/** A folder that might be used. `source` says who names it: a variable or the system. */
interface Candidate {
  readonly source: string
  readonly folder: string | undefined
}

/** Returns the first candidate that is the user's own, or else a private temporary folder. */
const firstOwn = Effect.fnUntraced(function* (
  candidates: ReadonlyArray<Candidate>,
  /** The subfolder that the program uses. Like the candidate itself, it must be the user's own. */
  part: string,
  project: string,
  notes: Array<string>
) {
  const path = yield* Path.Path
  for (const { folder, source } of candidates) {
    if (folder === undefined) continue
    const problem = (yield* folderProblem(folder, project)) ?? (yield* folderProblem(path.join(folder, part), project))
    if (problem === undefined) return folder
    notes.push(`${source} names ${JSON.stringify(folder)}, which is not used as a folder of yours: ${problem}.`)
  }
  const temporary = yield* Effect.orDie(
    (yield* FileSystem.FileSystem).makeTempDirectory({ prefix: "task-conductor-nobody-" })
  )
  notes.push(`No folder of yours can be used: nothing of yours is read, and what is saved goes to ${temporary}.`)
  return temporary
})

/**
 * Finds the folders of the user for work in this project. A variable is used if its folder is the user's own and
 * outside the project. The variables and their defaults:
 * - `$HOME`: the system's home folder
 * - `$XDG_CONFIG_HOME`: `~/.config`
 * - `$XDG_STATE_HOME`: `~/.local/state`
 */
export const userFolders = Effect.fn("userFolders")(function* (project: string) {
  const path = yield* Path.Path
  const notes: Array<string> = []
  const system = yield* CurrentUser
  const named = (yield* environmentVariable("HOME")) ?? (yield* environmentVariable("USERPROFILE"))
  const knownFolders: Array<string> = []
  const homes = [
    { source: "HOME", folder: named },
    { source: "The system", folder: system.home === named ? undefined : system.home }
  ]
  const home = yield* firstOwn(homes, "", project, notes)
  const folderOf = Effect.fnUntraced(function* (name: string, fallback: string) {
    const candidates = [
      { source: name, folder: yield* environmentVariable(name) },
      { source: "HOME", folder: path.join(home, fallback) },
      { source: "The system", folder: system.home === undefined ? undefined : path.join(system.home, fallback) }
    ]
    const ofOtherHome = named === undefined ? [] : [path.join(named, fallback)]
    const all = [...candidates.flatMap(({ folder }) => folder ?? []), ...ofOtherHome]
    knownFolders.push(
      ...all.filter((folder) => path.isAbsolute(folder)).map((folder) => path.join(folder, "task-conductor"))
    )
    return yield* firstOwn(candidates, "task-conductor", project, notes)
  })
  const config = yield* folderOf("XDG_CONFIG_HOME", ".config")
  const stateFolder = path.join(yield* folderOf("XDG_STATE_HOME", ".local/state"), "task-conductor")
  const chosen = yield* StateFolder
  const folders: UserFolders = {
    home,
    config,
    settings: path.join(config, "task-conductor"),
    state: chosen === "" ? stateFolder : path.resolve(chosen),
    locks: path.join(stateFolder, "locks"),
    candidates: [...new Set(knownFolders)],
    notes
  }
  return folders
})
