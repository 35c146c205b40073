/**
 * The folders of the user who runs the program, by the XDG rules. What stands there may allow anything, so a folder that a
 * project or another user could write is not used.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Config from "effect/Config"
import * as Option from "effect/Option"
import { userInfo } from "node:os"
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

/** True for an id of neither the user nor the system. */
const isForeign = (id: Option.Option<number>, own: number | undefined): boolean =>
  Option.exists(id, (one) => one !== own && one !== 0)

/** Who else can write a file or folder that exists, in words. */
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
 * Why a folder is not taken for the person's own, in words; nothing when it is. The person's home folder as the system has
 * it stays their own in a project around it.
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

/** Absolute paths; only task-conductor uses the last three. */
export interface UserFolders {
  readonly home: string
  readonly config: string
  /** Its configuration and what the person allowed for good. */
  readonly settings: string
  /** Its runs. */
  readonly state: string
  /**
   * Where locks on projects leave a file, on systems that need one: one place for all runs, wherever they are saved.
   */
  readonly locks: string
  /** Every folder that another run could take for one of these: with other variables, or once it exists. */
  readonly candidates: ReadonlyArray<string>
  /** What was not used and why, as sentences. */
  readonly notes: ReadonlyArray<string>
}

/** An environment variable; absent when it is empty. */
export const environmentVariable = (name: string): Effect.Effect<string | undefined> =>
  Config.option(Config.String(name)).pipe(
    Effect.map((value) => Option.getOrUndefined(Option.filter(value, (text) => text !== ""))),
    Effect.orElseSucceed(() => undefined)
  )

/**
 * The folder in which a script saves runs; the folder by the XDG rules when it is empty. It is a reference, like other
 * values of the environment, so that the store of runs and the list of protected paths always read the same value.
 */
export const StateFolder = Context.Reference<string>("task-conductor/services/configuration/UserFolders/StateFolder", {
  defaultValue: () => ""
})

/** A place where a folder may be: the variable or rule it comes from, in words. */
interface Candidate {
  readonly source: string
  readonly folder: string | undefined
}

/** The first candidate that is the person's own; a private temporary folder when there is none. */
const firstOwn = Effect.fnUntraced(function* (
  candidates: ReadonlyArray<Candidate>,
  /** The part of it that is used; it must be the person's own too. */
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
 * The folders of the person, for work in this project. Variables count when they are set to a folder of the person outside
 * of the project: `$HOME`, else the home folder that the system knows; `$XDG_CONFIG_HOME`, else `~/.config`;
 * `$XDG_STATE_HOME`, else `~/.local/state`.
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
