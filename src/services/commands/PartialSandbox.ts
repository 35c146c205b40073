/**
 * Confinement by the system when bubblewrap does not work: Landlock on Linux, applied by `setpriv` of util-linux, and
 * `sandbox-exec` on macOS. A command may read programs and the project, and write in the project, its cache and its own
 * home folder. Landlock cannot exclude a part of a folder, so nothing inside the project is protected.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as path from "node:path"
import { cacheInSandbox } from "../../domain/commands/Toolchains.ts"
import type { NetworkReach } from "../../domain/commands/NetworkHosts.ts"
import { secretFolders } from "../../domain/files/SensitivePath.ts"
import { partly } from "../../domain/tools/Access.ts"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { isWithin } from "../files/CanonicalPath.ts"
import { entriesIn, isFolder, realPath, realPaths } from "../files/FileLook.ts"
import { type CommandPlaces, keysOfSystem, type SandboxPlaces } from "./SandboxProfile.ts"
import { systemFolders, toolchainPlaces } from "./ToolchainPlaces.ts"

/** The program that applies the confinement. */
export interface PartialHelper {
  readonly name: "Landlock" | "sandbox-exec"
  readonly path: string
  /** The system call filter. Absent for `setpriv` before util-linux 2.41. */
  readonly filter?: Uint8Array | undefined
}

interface Place {
  readonly path: string
  readonly isFolder: boolean
}

/** What a command may access. A real path also stands for everything below it. */
export interface PartialReach {
  readonly readable: ReadonlyArray<Place>
  readonly writable: ReadonlyArray<Place>
  /** Folders that the command may list, without access to the contents of their files. */
  readonly listed: ReadonlyArray<string>
  readonly home: string
  /**
   * Paths that commands must not read or change (`kept`), and paths that they must not change (`fixed`). Landlock
   * cannot protect paths inside the project.
   */
  readonly kept: ReadonlyArray<string>
  readonly fixed: ReadonlyArray<string>
}

const [readFile, inFolder] = ["execute,read-file", "read-dir,execute,read-file"]
const writeFile = "write-file,truncate"
const change = `${writeFile},remove-dir,remove-file,make-dir,make-reg,make-sock,make-fifo,make-sym,refer`
/**
 * The rights that Landlock controls since Linux 6.2. Without `truncate`, a command could empty any file of the user.
 */
const all = `${inFolder},${change},make-char,make-block`

const rule = (rights: string, one: string) => ["--landlock-rule", `path-beneath:${rights}:${one}`] as const

/**
 * The words that stand before a command and confine it. `filter` is the path of the system call filter. Root loses its
 * privileges.
 */
export const landlockWords = (
  program: string,
  { listed, readable, writable }: PartialReach,
  { filter, isRoot }: { readonly filter?: string | undefined; readonly isRoot: boolean }
): ReadonlyArray<string> => [
  program,
  "--no-new-privs",
  ...(isRoot ? ["--bounding-set=-all", "--inh-caps=-all"] : []),
  ...(filter === undefined ? [] : ["--seccomp-filter", filter]),
  "--landlock-access",
  `fs:${all}`,
  ...listed.flatMap((one) => rule("read-dir", one)),
  ...readable.flatMap((one) => rule(one.isFolder ? inFolder : readFile, one.path)),
  ...writable.flatMap((one) => rule(one.isFolder ? `${inFolder},${change}` : `${readFile},${writeFile}`, one.path)),
  "--"
]

const subpaths = (paths: ReadonlyArray<string>): string =>
  paths.map((one) => `(subpath ${JSON.stringify(one)})`).join(" ")

const line = (what: string, paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  paths.length === 0 ? [] : [`(${what} ${subpaths(paths)})`]

/** The profile of `sandbox-exec`. The last rule that matches a path applies. */
export const seatbeltProfile = ({ fixed, home, kept, readable, writable }: PartialReach, network: boolean): string => {
  const open = writable.map((one) => one.path)
  return [
    "(version 1)",
    "(allow default)",
    ...(network ? [] : ["(deny network*)"]),
    "(deny appleevent-send)",
    "(deny signal (target others))",
    "(deny file-write*)",
    ...line("deny file-read-data", [home]),
    ...line("allow file-read-data", [...readable.map((one) => one.path), ...open]),
    ...line("allow file-write*", open),
    ...line("deny file-write*", fixed),
    ...line("deny file-read-data file-write*", kept)
  ].join("\n")
}

interface PartialBounds {
  readonly network: NetworkReach
  readonly unixSockets: boolean
  readonly why: string
  /** True if commands may write in folders of this program, which are then not protected. */
  readonly isExposed: boolean
}

/** What the confinement protects and what not, as a text after "Sandbox: ". */
export const partialWords = (
  { filter, name }: PartialHelper,
  { isExposed, network, unixSockets, why }: PartialBounds
): string => {
  const isLandlock = name === "Landlock"
  const isUnfiltered = isLandlock && filter === undefined
  const off = isUnfiltered ? "the network is not blocked" : "no network, not even of its own"
  const held = [
    network === true ? "with the network" : off,
    ...(typeof network === "boolean" ? [] : ["the list of hosts in sandbox.network does not hold"]),
    ...(isLandlock && (isUnfiltered || unixSockets) ? ["Unix sockets are not blocked"] : []),
    "writes only in the project",
    "your home folder is hidden"
  ]
  const open = isLandlock
    ? `It can end your other programs and change the modes of your files, and does not protect repositories and secret files of the project${isExposed ? ", nor your configuration of task-conductor" : ""}`
    : "It can ask other programs of the system"
  return `${partly}${name}, since ${why}: ${held.join(", ")}. ${open}`
}

const likelyDenial = /permission denied|EACCES|operation not permitted|EPERM|address family not supported|EAFNOSUPPORT/i

/**
 * A hint for the user if the sandbox probably made a command fail. Undefined if the command succeeded, or if its output
 * does not suggest a denial.
 */
export const partialFailure = (exitCode: number, output: string): string | undefined =>
  exitCode !== 0 && likelyDenial.test(output)
    ? 'The weaker sandbox is the likely cause: it hides the home folder and /tmp, and has no network, not even of its own. Install bubblewrap, which permits more, or see "sandbox" in ~/.config/task-conductor/config.json.'
    : undefined

/**
 * The unprotected parts of a folder, and the folders on the way to them. Links are left out, because they could lead to
 * a protected path.
 */
const without = Effect.fnUntraced(function* (folder: string, kept: ReadonlyArray<string>) {
  const open: Array<string> = []
  const listed: Array<string> = []
  const rest = [folder]
  for (let one = rest.shift(); one !== undefined; one = rest.shift()) {
    const at = one
    if (kept.some((hidden) => isWithin(hidden, at))) continue
    if (kept.some((hidden) => isWithin(at, hidden))) {
      listed.push(at)
      const entries = (yield* entriesIn(at)).filter(({ type }) => type !== "SymbolicLink")
      rest.push(...entries.map(({ name }) => path.join(at, name)))
    } else open.push(at)
  }
  return { open, listed }
})

const usualDevices = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"]

const placesOf = (paths: ReadonlyArray<string>) =>
  Effect.forEach([...new Set(paths)], (one) =>
    Effect.map(isFolder(one), (found): Place => ({ path: one, isFolder: found }))
  )

export type PartialCommand = Pick<CommandPlaces, "cwd" | "projectBin" | "program" | "survey"> & {
  readonly argv: ReadonlyArray<string>
}

/**
 * Prepares the confinement of a command. The command gets a temporary home folder, which is removed when the scope
 * closes.
 */
export const confinement = Effect.fn("confinement")(
  function* (helper: PartialHelper, places: SandboxPlaces, { argv, survey, ...command }: PartialCommand) {
    const fs = yield* FileSystem.FileSystem
    const { cache, git, hidden, network, root } = places
    const home = (yield* realPath(places.home)) ?? places.home
    const folder = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "task-conductor-" }))
    const sandboxHome = path.join(folder, "home")
    yield* fs.makeDirectory(sandboxHome)
    const toolchains = yield* toolchainPlaces({ ...places, home }, command)
    /**
     * The command gets a home folder of its own. It contains links to those parts of the user's home that the sandbox
     * shows.
     */
    for (const { from, to } of toolchains.shown.filter((one) => isWithin(home, one.to))) {
      const link = path.join(sandboxHome, path.relative(home, to))
      yield* Effect.ignore(fs.makeDirectory(path.dirname(link), { recursive: true }))
      yield* Effect.ignore(fs.symlink(from, link))
    }
    const kept = [
      ...(yield* keysOfSystem),
      ...(yield* realPaths([...toolchains.keys, ...hidden, ...[...secretFolders].map((name) => path.join(home, name))]))
    ]
    const readable = yield* realPaths(places.readable)
    const candidates = yield* realPaths([
      ...systemFolders,
      "/proc",
      ...(network ? ["/etc/resolv.conf"] : []),
      ...toolchains.shown.map(({ from }) => from),
      ...(command.program === undefined ? [] : [command.program]),
      ...readable
    ])
    const parts = yield* Effect.forEach([...new Set(candidates)], (one) => without(one, kept))
    const { bare, controls: ofProgram, git: repositories, secrets } = survey.walk
    const reach: PartialReach = {
      home,
      kept: [...kept, ...secrets.filter((one) => !readable.includes(one))],
      fixed: [...survey.controls.inside, ...ofProgram, ...(git ? [] : [...repositories, ...bare])],
      listed: parts.flatMap(({ listed }) => listed),
      readable: yield* placesOf(parts.flatMap(({ open }) => open)),
      writable: yield* placesOf(
        yield* realPaths([
          root,
          sandboxHome,
          ...(cache === undefined ? [] : [cache]),
          ...usualDevices,
          ...places.writable
        ])
      )
    }
    const variables = Object.entries(toolchains.variables).map(
      ([name, value]) => [name, value.replace(cacheInSandbox, cache ?? path.join(sandboxHome, ".cache"))] as const
    )
    const around = { variables: { ...Object.fromEntries(variables), HOME: sandboxHome, TMPDIR: sandboxHome } }
    if (helper.name === "sandbox-exec") {
      return { ...around, argv: [helper.path, "-p", seatbeltProfile(reach, network), ...argv] }
    }
    const filter = helper.filter === undefined ? undefined : path.join(folder, "filter")
    if (filter !== undefined && helper.filter !== undefined) yield* fs.writeFile(filter, helper.filter)
    const words = landlockWords(helper.path, reach, { filter, isRoot: process.getuid?.() === 0 })
    return { ...around, argv: [...words, ...argv] }
  },
  Effect.mapError(
    ({ message }) => new ToolFailure({ type: "io_error", message: `The weaker sandbox could not be made: ${message}` })
  )
)
