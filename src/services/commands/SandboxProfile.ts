/**
 * What a command can access in bubblewrap, as flags: the programs of the system and of the person, read-only; the project,
 * writable except for what controls git or this program, and without secrets; what the configuration names.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { secretFolders } from "../../domain/files/SensitivePath.ts"
import { isWithin } from "../files/CanonicalPath.ts"
import type { ProjectSurvey } from "./ProjectSurvey.ts"
import { guardProject } from "./SandboxGuards.ts"
import { bind, emptied, hide, isOfSystem, ownPrograms, realPath, realPaths, systemFlags } from "./SandboxSystem.ts"

/** Absolute paths; `root` is the real path of the project. */
export interface SandboxPlaces {
  readonly root: string
  readonly home: string
  /** The folders of the search path. */
  readonly programs: ReadonlyArray<string>
  readonly readable: ReadonlyArray<string>
  readonly writable: ReadonlyArray<string>
  /** Folders of this program, which are hidden. */
  readonly hidden: ReadonlyArray<string>
  readonly network: boolean
  /** Whether commands may commit. */
  readonly git: boolean
}

const isolation = ["--unshare-user", "--disable-userns", "--unshare-all", "--cap-drop", "ALL"]

/** No controlling terminal, and the sandbox ends with this process. */
const ties = ["--new-session", "--die-with-parent"]

/** Folders that a mounted folder would show and that stay hidden: those of this program, of keys, and of sockets. */
const masked = Effect.fnUntraced(function* ({ hidden, home, readable, root, writable }: SandboxPlaces) {
  const path = yield* Path.Path
  const given = [root, ...(yield* realPaths([...readable, ...writable]))]
  const keys = [...secretFolders].map((name) => path.join(home, name))
  const some = yield* realPaths([...keys, ...emptied])
  const shown = some.filter((folder) => given.some((one) => one !== folder && isWithin(path, one, folder)))
  /* One that holds a mounted folder is not mounted itself, and must not cover it. */
  const holdsRoot = (folder: string) => isWithin(path, folder, root)
  const own = yield* realPaths(hidden)
  return yield* hide([...new Set([...own, ...shown])].filter((folder) => !holdsRoot(folder)))
})

/** The flags of bubblewrap for commands of this project, without the command. `program` is its real path. */
export const sandboxFlags = Effect.fn("sandboxFlags")(function* (
  places: SandboxPlaces,
  survey: ProjectSurvey,
  program: string | undefined
) {
  const path = yield* Path.Path
  const { git, network, root } = places
  const home = Option.getOrElse(yield* realPath(places.home), () => places.home)
  const isInBin = program !== undefined && path.basename(path.dirname(program)) === "bin"
  const programs = isInBin ? [...places.programs, path.dirname(program)] : places.programs
  const alone = program === undefined || isInBin || isOfSystem(path, program) ? [] : [program]
  const readable = yield* realPaths(places.readable)
  const writable = yield* realPaths(places.writable)
  const guards = yield* guardProject({ root, survey, git, readable, writable })
  const flags = [
    ...isolation,
    ...(network ? ["--share-net"] : []),
    ...ties,
    ...(yield* systemFlags(network)),
    ...(home === "/" ? [] : ["--tmpfs", home]),
    ...bind("--ro-bind", [...(yield* ownPrograms({ ...places, home, programs })), ...alone]),
    ...bind("--ro-bind", readable),
    ...bind("--bind", writable),
    ...bind("--bind", [root]),
    ...guards.flags,
    ...(yield* masked({ ...places, home })),
    "--remount-ro",
    "/"
  ]
  return { flags, placeholders: guards.placeholders }
})
