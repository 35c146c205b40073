/**
 * What the sandbox shows of programs outside the project: the search path with its libraries, the user's toolchains,
 * and environments that the project links to.
 */
import * as Effect from "effect/Effect"
import * as path from "node:path"
import { sandboxVariables, toolchains } from "../../domain/commands/Toolchains.ts"
import { isWithin } from "../files/CanonicalPath.ts"
import { entriesIn, isThere, realPath, realPaths } from "../files/FileLook.ts"

/** Where systems keep programs and libraries. */
export const systemFolders = [
  ..."/usr /bin /sbin /lib /lib32 /lib64 /libx32 /opt /etc".split(" "),
  ..."/nix/store /gnu/store /run/current-system /sys/devices/system/cpu".split(" ")
]

/** Folders that are empty in the sandbox. Outside, they contain temporary files and sockets of other programs. */
export const emptied = ["/run", "/tmp", "/var/tmp"]

/** True for a real path that every command sees. */
export const isOfSystem = (one: string): boolean => systemFolders.some((folder) => isWithin(folder, one))

export interface ShownPath {
  readonly from: string
  readonly to: string
}

const asItIs = (one: string): ShownPath => ({ from: one, to: one })

/** Folders beside `bin` from which a program loads files. */
const besidePrograms = ["lib", "lib64", "libexec", "include"]

/**
 * Files and folders by which a self-contained installation is recognised. They belong to Python environments, conda, Go
 * and Java.
 */
const marks = ["pyvenv.cfg", "conda-meta", "go.env", "release"]

/** The folders of an installation that the sandbox must show. `bin` is the folder with its programs. */
const installationOf = Effect.fnUntraced(function* (bin: string) {
  if (path.basename(bin) !== "bin") return [bin]
  const prefix = path.dirname(bin)
  const found = yield* Effect.filter(marks, (name) => isThere(path.join(prefix, name)))
  return found.length > 0 ? [prefix] : [bin, ...besidePrograms.map((name) => path.join(prefix, name))]
})

/**
 * The folders of the search path outside the system folders, and the installations to which links in these folders
 * lead.
 */
const ofSearchPath = Effect.fnUntraced(function* (programs: ReadonlyArray<string>) {
  const folders = (yield* realPaths(programs)).filter((folder) => !isOfSystem(folder))
  const places = yield* Effect.forEach([...new Set(folders)], (folder) =>
    Effect.gen(function* () {
      const links = (yield* entriesIn(folder)).filter(({ type }) => type === "SymbolicLink")
      const targets = yield* realPaths(links.map(({ name }) => path.join(folder, name)))
      const bins = targets.filter((target) => path.basename(path.dirname(target)) === "bin").map(path.dirname)
      const alone = targets.filter((target) => path.basename(path.dirname(target)) !== "bin")
      const installed = yield* Effect.forEach([...new Set([folder, ...bins])], installationOf)
      return [...installed.flat(), ...alone]
    })
  )
  return yield* realPaths(places.flat())
})

const isPython = Effect.fnUntraced(function* (prefix: string) {
  const libraries = (yield* entriesIn(path.join(prefix, "lib"))).filter(({ name }) => /^(?:python|pypy)\d/.test(name))
  const standard = libraries.map(({ name }) => path.join(prefix, "lib", name, "os.py"))
  return (yield* Effect.filter(standard, isThere)).length > 0
})

const environmentNames = [".venv", "venv", "env"]

/**
 * The places to which usual links of the project lead: Python environments, their Python installations, and installed
 * packages. No other links are followed, because a project can link to anything.
 */
const linkedFromProject = Effect.fnUntraced(function* (
  folders: ReadonlyArray<string>,
  environments: ReadonlyArray<string>
) {
  const environmentFolders: Array<string> = []
  const usual = folders.flatMap((folder) => environmentNames.map((name) => path.join(folder, name)))
  for (const environment of new Set([...usual, ...environments])) {
    const real = yield* realPath(environment)
    if (real !== undefined && (yield* isThere(path.join(real, "pyvenv.cfg")))) environmentFolders.push(real)
    const python = yield* realPath(path.join(environment, "bin/python"))
    if (python === undefined) continue
    const prefix = path.dirname(path.dirname(python))
    if (yield* isPython(prefix)) environmentFolders.push(...(yield* installationOf(path.dirname(python))))
  }
  const packages = yield* realPaths(folders.map((folder) => path.join(folder, "node_modules")))
  return yield* realPaths([...environmentFolders, ...packages.filter((one) => path.basename(one) === "node_modules")])
})

/** The installed toolchains, each with its folder. */
const foundToolchains = Effect.fnUntraced(function* ({ environment, home }: ProgramPlaces) {
  const all = toolchains.flatMap((toolchain) => {
    const { folders, variable } = toolchain
    const named = variable === undefined ? undefined : environment[variable]
    const usual = folders.map((folder) => path.join(home, folder))
    const where = named !== undefined && path.isAbsolute(named) ? [path.normalize(named), ...usual] : usual
    return where.map((folder) => ({ toolchain, folder }))
  })
  return yield* Effect.filter(all, ({ folder }) => isThere(folder), { concurrency: 16 })
})

/** The existing parts of a toolchain, with the targets of links. */
const partsOf = Effect.fnUntraced(function* (folder: string, parts: ReadonlyArray<string>) {
  const places = parts.map((part) => path.join(folder, part))
  const found = yield* Effect.forEach(places, (to) => Effect.map(realPath(to), (from) => ({ from, to })))
  return found.flatMap(({ from, to }) => {
    if (from === undefined) return []
    return from === to ? [asItIs(to)] : [asItIs(from), { from, to }]
  })
})

export interface ProgramPlaces {
  readonly home: string
  readonly root: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The folders of the search path. */
  readonly programs: ReadonlyArray<string>
  /** The folders of this program. The sandbox shows neither them nor the folders above them. Some may not exist yet. */
  readonly hidden: ReadonlyArray<string>
  readonly network: boolean
}

/**
 * The programs and packages that a command sees besides those of the system and the project, outer folders first.
 * `projectBin` is a project folder that may be the environment of the command.
 */
export const toolchainPlaces = Effect.fn("toolchainPlaces")(function* (
  places: ProgramPlaces,
  { cwd, projectBin }: { readonly cwd: string; readonly projectBin?: string }
) {
  const { hidden, home, network, programs, root } = places
  const toolchains = yield* foundToolchains(places)
  const userParts = yield* Effect.forEach(
    toolchains,
    ({ folder, toolchain: { packages = [], programs: parts = [] } }) =>
      partsOf(folder, network ? parts : [...parts, ...packages])
  )
  const keys = yield* Effect.forEach(toolchains, ({ folder, toolchain }) => partsOf(folder, toolchain.keys ?? []))
  const linked = yield* linkedFromProject([...new Set([root, cwd])], projectBin === undefined ? [] : [projectBin])
  const isKept = ({ from }: ShownPath) =>
    !isOfSystem(from) &&
    !isWithin(root, from) &&
    ![home, root, ...hidden, ...emptied].some((one) => isWithin(from, one))
  const all = [...(yield* ofSearchPath(programs)).map(asItIs), ...linked.map(asItIs), ...userParts.flat()].filter(
    isKept
  )
  const shownPaths = [...new Map(all.map((one) => [one.to, one])).values()].toSorted(
    (a, b) => a.to.length - b.to.length
  )
  const hiddenKeys = keys.flat().map(({ to }) => to)
  return {
    shown: shownPaths,
    keys: hiddenKeys.filter((one) => shownPaths.some(({ to }) => one !== to && isWithin(to, one))),
    variables: sandboxVariables(toolchains, network)
  }
})
