/**
 * What a command can access in bubblewrap, as flags. The system is read-only; the home folder and the folders of sockets
 * and temporary files are empty; the project is writable, except for what controls git or this program.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { secretFolders } from "../../domain/files/SensitivePath.ts"
import { isWithin } from "../files/CanonicalPath.ts"

/** Absolute paths; `root` is the real path of the project. */
interface SandboxPlaces {
  readonly root: string
  readonly home: string
  /** The folders of the search path. */
  readonly programs: ReadonlyArray<string>
  readonly readable: ReadonlyArray<string>
  readonly writable: ReadonlyArray<string>
  /** Folders of this program, which are hidden. */
  readonly hidden: ReadonlyArray<string>
  readonly network: boolean
}

const isolation = ["--unshare-user", "--disable-userns", "--unshare-all", "--cap-drop", "ALL"]

/** No controlling terminal, and the sandbox ends with this process. */
const ties = ["--new-session", "--die-with-parent"]

/** Folders with sockets of other programs (containers, keys, desktop). */
const emptied = ["/run", "/tmp", "/var/tmp"]

/** Folders beside `bin` that hold what the programs load. */
const besidePrograms = ["lib", "lib64", "libexec"]

/** Parts of a repository that make git run programs. */
const gitControls = ["config", "config.worktree", "info", "modules"]
const projectControls = [".task-conductor", "task-conductor.json", ".mcp.json"]

/** The real path of what exists; nothing for what does not. */
const realPath = Effect.fnUntraced(function* (given: string) {
  return yield* Effect.option((yield* FileSystem.FileSystem).realPath(given))
})

const realPaths = Effect.fnUntraced(function* (given: ReadonlyArray<string>) {
  return (yield* Effect.forEach(given, realPath)).flatMap(Option.toArray)
})

const bind = (how: "--bind" | "--ro-bind", paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  paths.flatMap((path) => [how, path, path])

const empty = (paths: ReadonlyArray<string>): ReadonlyArray<string> => paths.flatMap((path) => ["--tmpfs", path])

/** The programs in the home folder, with the folders beside them. */
const ownPrograms = Effect.fnUntraced(function* (programs: ReadonlyArray<string>, home: string) {
  const path = yield* Path.Path
  const folders = (yield* realPaths(programs)).filter((folder) => folder !== home && isWithin(path, home, folder))
  const beside = folders
    .filter((folder) => path.basename(folder) === "bin")
    .flatMap((folder) => besidePrograms.map((name) => path.join(path.dirname(folder), name)))
  return [...folders, ...(yield* realPaths(beside))]
})

/** Makes hooks and configuration of the repository read-only; the folder itself cannot be moved away. */
const guardGit = Effect.fnUntraced(function* (root: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const git = path.join(root, ".git")
  const real = yield* realPath(git)
  if (Option.isNone(real) || real.value !== git) return []
  const { type } = yield* fs.stat(git)
  if (type !== "Directory") return bind("--ro-bind", [git])
  const hooks = path.join(git, "hooks")
  const guarded = yield* realPaths(gitControls.map((name) => path.join(git, name)))
  const guardHooks = (yield* fs.exists(hooks)) ? bind("--ro-bind", [hooks]) : [...empty([hooks]), "--remount-ro", hooks]
  return [...bind("--bind", [git]), ...bind("--ro-bind", guarded), ...guardHooks]
})

/** Empties the folders of this program, and the folders of keys that the other binds would show. */
const maskSecrets = Effect.fnUntraced(function* ({ hidden, home, readable, root, writable }: SandboxPlaces) {
  const path = yield* Path.Path
  const given = [root, ...(yield* realPaths([...readable, ...writable]))]
  const keys = yield* realPaths([...secretFolders].map((name) => path.join(home, name)))
  const shown = keys.filter((folder) => given.some((one) => one !== folder && isWithin(path, one, folder)))
  const own = (yield* realPaths(hidden)).filter((folder) => !isWithin(path, folder, root))
  return empty([...own, ...shown])
})

/** The flags of bubblewrap for commands of this project, without the command. */
export const sandboxFlags = Effect.fn("sandboxFlags")(function* (places: SandboxPlaces) {
  const path = yield* Path.Path
  const { network, root } = places
  const home = Option.getOrElse(yield* realPath(places.home), () => places.home)
  const emptyPlaces = yield* realPaths(emptied)
  const resolver = network ? ["/run/systemd/resolve"] : []
  return [
    ...isolation,
    ...(network ? ["--share-net"] : []),
    ...ties,
    ...bind("--ro-bind", ["/"]),
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    ...empty([...emptyPlaces, ...(home === "/" ? [] : [home])]),
    ...bind("--ro-bind", yield* realPaths(["/run/current-system", ...resolver])),
    ...bind("--ro-bind", yield* ownPrograms(places.programs, home)),
    ...bind("--ro-bind", yield* realPaths(places.readable)),
    ...bind("--bind", yield* realPaths(places.writable)),
    ...bind("--bind", [root]),
    ...(yield* guardGit(root)),
    ...bind("--ro-bind", yield* realPaths(projectControls.map((name) => path.join(root, name)))),
    ...(yield* maskSecrets({ ...places, home }))
  ]
})
