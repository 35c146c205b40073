/**
 * What a command's sandbox contains: the folders of the system, the project, and a separate home. Protects files that a
 * command must not change or read.
 */
import * as Effect from "effect/Effect"
import * as path from "node:path"
import { temporaryMegabytes } from "../../domain/commands/CommandLimits.ts"
import { cacheInSandbox } from "../../domain/commands/Toolchains.ts"
import { isSecretLike, secretFolders } from "../../domain/files/SensitivePath.ts"
import { isWithin, pathFrom } from "../files/CanonicalPath.ts"
import { entriesIn, infoAt, isFolder, isThere, linkAt, realPath, realPaths } from "../files/FileLook.ts"
import { rmdir } from "node:fs/promises"
import type { CopyMounts } from "./ProjectCopy.ts"
import { gitParts, type ProjectSurvey } from "./ProjectSurvey.ts"
import { emptied, isOfSystem, type ProgramPlaces, systemFolders, toolchainPlaces } from "./ToolchainPlaces.ts"

/**
 * Names in `/etc` that contain keys or passwords. They are hidden in case the user, for example root, could read them.
 */
const systemKeys = `
  shadow shadow- gshadow gshadow- sudoers sudoers.d security/opasswd ssh ssl/private pki/tls/private letsencrypt docker
  containerd kubernetes rancher wireguard openvpn ipsec.secrets ipsec.d swanctl strongswan ppp wpa_supplicant
  NetworkManager/system-connections krb5.keytab fstab crypttab luks cni ceph vault.d consul.d mysql/debian.cnf
`
  .trim()
  .split(/\s+/)

const bind = (how: "--bind" | "--ro-bind" | "--ro-bind-try", paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  paths.flatMap((path) => [how, path, path])

const emptyAndFixed = (one: string): ReadonlyArray<string> => ["--tmpfs", one, "--remount-ro", one]

/** Flags that hide paths: an empty folder covers a folder, and an unreadable file covers a file. */
const hide = Effect.fnUntraced(function* (paths: ReadonlyArray<string>) {
  const infos = yield* Effect.forEach(paths, infoAt)
  return paths.flatMap((hiddenPath, index) => {
    const type = infos[index]?.type
    if (type === undefined) return []
    return type === "Directory" ? ["--tmpfs", hiddenPath] : ["--ro-bind", "/dev/null", hiddenPath]
  })
})

/** Flags that show a folder of the system. If it is a link, as /bin may be, they create the same link. */
const showFolder = Effect.fnUntraced(function* (folder: string) {
  const target = yield* linkAt(folder)
  if (target !== undefined) return ["--symlink", target, folder]
  return (yield* isThere(folder)) ? bind("--ro-bind", [folder]) : []
})

const readableByOthers = 0o004

/** True for an entry of /etc that stays hidden: it contains keys, or other users cannot read it. */
const isKept = (name: string) =>
  Effect.map(
    infoAt(`/etc/${name}`),
    (info) =>
      info !== undefined && ((info.mode & readableByOthers) === 0 || (info.type === "File" && isSecretLike(name)))
  )

/** The system keys on this machine. */
export const keysOfSystem = Effect.gen(function* () {
  const names = (yield* entriesIn("/etc")).map(({ name }) => name)
  const kept = yield* Effect.filter(names, isKept, { concurrency: 16 })
  const existing = yield* realPaths([...new Set([...systemKeys, ...kept])].map((name) => `/etc/${name}`))
  return existing.filter((path) => path.startsWith("/etc/"))
})

/** Kernel settings that must be read-only. Even a root user without privileges could write them. */
const kernelSettings = ["sys", "sysrq-trigger", "irq", "bus", "fs", "mtrr", "acpi", "scsi"].map(
  (name) => `/proc/${name}`
)

const places = "--tmpfs /run --tmpfs /tmp --dir /var --tmpfs /var/tmp --symlink /run /var/run".split(" ")

/** The flags for what every command may see. With a network, this includes the files that resolve host names. */
const systemFlags = Effect.fn("systemFlags")(function* (network: boolean) {
  const systemFolderFlags = (yield* Effect.forEach(systemFolders, showFolder)).flat()
  const [resolver] = network ? yield* realPaths(["/etc/resolv.conf"]) : []
  return [
    ...places,
    ...systemFolderFlags,
    ...(yield* hide(yield* keysOfSystem)),
    ...(resolver === undefined || resolver.startsWith("/etc/") ? [] : bind("--ro-bind", [resolver])),
    "--dev",
    "/dev",
    "--tmpfs",
    "/dev/shm",
    "--remount-ro",
    "/dev",
    "--proc",
    "/proc",
    ...bind("--ro-bind", yield* realPaths(kernelSettings))
  ]
})

/** The folders between the project and a path inside it. */
const foldersAbove = (root: string, one: string): ReadonlyArray<string> => {
  const above: Array<string> = []
  for (let folder = path.dirname(one); folder !== root && isWithin(root, folder); folder = path.dirname(folder))
    above.unshift(folder)
  return above
}

const byDepth = (a: string, b: string): number => a.split("/").length - b.split("/").length

/**
 * Flags that mount folders on themselves, so that they cannot be moved. Not needed in an overlay of bubblewrap, where
 * moves do not change the project.
 */
const pin = (folders: ReadonlyArray<string>, root: string, copy: CopyMounts | undefined) => {
  if (copy === undefined) return bind("--bind", folders)
  const { folder } = copy
  if (folder === undefined) return []
  return folders.flatMap((one) => ["--bind-try", path.join(folder, path.relative(root, one)), one])
}

/**
 * Whether and how a path can be protected. A link cannot be protected. Its target is protected separately, and a
 * comparison after the command finds a changed link.
 */
const stateOf = Effect.fnUntraced(function* (protectedPath: string) {
  const real = yield* realPath(protectedPath)
  if (real !== undefined) return real === protectedPath ? "there" : "link"
  return (yield* linkAt(protectedPath)) === undefined ? "missing" : "link"
})

/**
 * The highest missing folder on the path to a missing file, or the file itself if no folder is missing. A placeholder
 * there keeps commands from creating the file.
 */
const highestMissing = Effect.fnUntraced(function* (root: string, one: string) {
  for (const folder of foldersAbove(root, one)) if ((yield* stateOf(folder)) === "missing") return folder
  return one
})

/**
 * The parts of a repository to protect while commands may commit: those that exist, and `hooks`, which a command could
 * create.
 */
const partsOf = Effect.fnUntraced(function* (repository: string) {
  const parts = gitParts.map((name) => path.join(repository, name))
  return yield* Effect.filter(parts, (part) =>
    Effect.map(stateOf(part), (state) => state === "there" || (state === "missing" && part.endsWith("/hooks")))
  )
})

/**
 * Protects what commands must not change or read in the project: repositories, files that control git or this program,
 * and secrets. Files that the user names by real path are not protected. With `git`, only the parts of a repository
 * that make git run programs are read-only.
 *
 * Placeholders are folders in place of missing files, so that commands cannot create anything there.
 */
const guardProject = Effect.fn("guardProject")(function* (
  { git, readable, root, writable }: Pick<SandboxPlaces, "git" | "readable" | "root" | "writable">,
  { copy, survey: { controls, walk } }: CommandPlaces
) {
  const repositories = yield* Effect.filter([...walk.git, ...walk.bare], isFolder)
  const open = repositories.filter((one) => git || one === root)
  const parts = (yield* Effect.forEach(open, partsOf)).flat()
  const all = [...new Set([...controls.inside, ...walk.controls, ...parts])].filter((one) => one !== root)
  const states = new Map(
    yield* Effect.forEach(all, (one) => Effect.map(stateOf(one), (state) => [one, state] as const))
  )
  const closed = all.filter((one) => states.get(one) === "there" && !open.includes(one)).toSorted(byDepth)
  const missing = all.filter((one) => states.get(one) === "missing" && !closed.some((folder) => isWithin(folder, one)))
  const placeholders = [...new Set(yield* Effect.forEach(missing, (one) => highestMissing(root, one)))]
  const above = [...closed, ...placeholders].flatMap((one) => foldersAbove(root, one))
  const pinned = yield* Effect.filter([...new Set([...above, ...open.filter((one) => one !== root)])], isFolder)
  const movable = pinned.filter((one) => !closed.some((folder) => isWithin(folder, one)))
  const secrets = walk.secrets.filter((one) => !readable.includes(one) && !writable.includes(one))
  return {
    flags: [
      ...bind("--ro-bind", controls.outside),
      ...bind(
        "--ro-bind",
        controls.around.filter((one) => writable.some((folder) => isWithin(folder, one)))
      ),
      ...pin(movable.toSorted(byDepth), root, copy),
      /** A copy may lack files that its task removed. */
      ...bind(copy === undefined ? "--ro-bind" : "--ro-bind-try", closed),
      ...placeholders.flatMap(emptyAndFixed)
    ],
    guarded: [...closed, ...placeholders, ...secrets],
    hiding: yield* hide(secrets),
    placeholders
  }
})

/**
 * The properties of the sandbox that are the same for all commands. Paths are absolute. `root` is the real path of the
 * project.
 */
export interface SandboxPlaces extends ProgramPlaces {
  readonly readable: ReadonlyArray<string>
  readonly writable: ReadonlyArray<string>
  /** The persistent cache of the project. Without it, the cache ends with the command. */
  readonly cache?: string | undefined
  /** True if only the proxy leads to the network. */
  readonly isProxied?: boolean
  /** True if commands may commit. */
  readonly git: boolean
}

export interface CommandPlaces {
  readonly survey: ProjectSurvey
  /** The folder in which the command runs. */
  readonly cwd: string
  /** The real path of a program outside the project. */
  readonly program?: string
  /** The project folder that contains the `bin` folder of the program. */
  readonly projectBin?: string
  /** The copy that the sandbox shows at the path of the project. */
  readonly copy?: CopyMounts | undefined
  /** The flags that let the command reach the proxy. */
  readonly forwarder?: ReadonlyArray<string>
  /** True for a trial, which must change nothing, even in the project. */
  readonly isTrial?: boolean
  /** The maximum size of each temporary folder, in bytes. */
  readonly temporaryBytes?: number
}

/** Removes the empty folders of a sandbox, inner ones first. */
export const removePlaceholders = (paths: ReadonlyArray<string>) =>
  Effect.forEach(paths.toSorted(byDepth).toReversed(), (one) => Effect.ignore(Effect.tryPromise(() => rmdir(one))), {
    discard: true
  })

const isolation = ["--unshare-user", "--disable-userns", "--unshare-all", "--cap-drop", "ALL"]

/** No controlling terminal; the sandbox ends when this process ends. */
const ties = ["--new-session", "--die-with-parent"]

/**
 * Hides the folders of this program. Also hides a folder with keys or sockets if a mounted folder is inside it. The
 * mount would make it visible again.
 */
const masked = Effect.fnUntraced(function* (
  { home, readable, root, writable }: SandboxPlaces,
  alwaysHidden: ReadonlyArray<string>
) {
  const mounted = [root, ...(yield* realPaths([...readable, ...writable]))]
  const keys = [...secretFolders].map((name) => path.join(home, name))
  const some = yield* realPaths([...keys, ...emptied])
  const aroundMounted = some.filter((folder) => mounted.some((one) => one !== folder && isWithin(one, folder)))
  /** Hiding a folder that contains the project would cover the project. */
  const holdsRoot = (folder: string) => isWithin(folder, root)
  return yield* hide([...new Set([...alwaysHidden, ...aroundMounted])].filter((folder) => !holdsRoot(folder)))
})

/**
 * Finds what must not be moved: the folders of this program, and the writable folders above them. Adds placeholders for
 * missing folders.
 */
const keptFolders = Effect.fnUntraced(function* (hidden: ReadonlyArray<string>, mounted: ReadonlyArray<string>) {
  const all = yield* Effect.forEach(hidden, (one) => pathFrom("/", one))
  const real = [...new Set(all.filter((one) => one !== undefined))]
  const realHidden = yield* realPaths(real)
  const reached = real.flatMap((one) =>
    mounted.filter((folder) => folder !== one && isWithin(folder, one)).map((folder) => ({ folder, one }))
  )
  const missing = reached.filter(({ one }) => !realHidden.includes(one))
  const placeholders = yield* Effect.forEach(missing, ({ folder, one }) => highestMissing(folder, one))
  const above = reached.flatMap(({ folder, one }) => foldersAbove(folder, one))
  return {
    own: realHidden,
    pinned: (yield* Effect.filter([...new Set(above)], isFolder)).toSorted(byDepth),
    placeholders: [...new Set(placeholders)]
  }
})

/**
 * Limits the size of each temporary folder in the flags, and lists these folders. Searching the flags for words is
 * safe: paths are absolute, so none equals a flag.
 */
const boundTemporary = (flags: ReadonlyArray<string>, bytes: number) => ({
  flags: flags.flatMap((word) => (word === "--tmpfs" ? ["--size", `${bytes}`, word] : [word])),
  temporary: flags.filter((_, index) => flags[index - 1] === "--tmpfs")
})

/** The flags of bubblewrap, without the words of the command. */
export const sandboxFlags = Effect.fn("sandboxFlags")(function* (places: SandboxPlaces, command: CommandPlaces) {
  const { cache, git, root } = places
  const network = places.network && places.isProxied !== true
  const { copy, isTrial = false, program, temporaryBytes = temporaryMegabytes * 1_048_576 } = command
  const home = (yield* realPath(places.home)) ?? places.home
  const isInBin = program !== undefined && path.basename(path.dirname(program)) === "bin"
  const programs = isInBin ? [...places.programs, path.dirname(program)] : places.programs
  const alone = program === undefined || isInBin || isOfSystem(program) ? [] : [program]
  const readable = yield* realPaths(places.readable)
  const writable = yield* realPaths(places.writable)
  const toolchains = yield* toolchainPlaces({ ...places, home, programs }, command)
  const guards = yield* guardProject({ root, git, readable, writable }, command)
  const kept = yield* keptFolders(places.hidden, [root, ...writable])
  const isInProject = (one: string) => one !== root && isWithin(root, one)
  const ofProject = isTrial
    ? bind("--ro-bind", [root])
    : [...(copy?.flags ?? bind("--bind", [root])), ...pin(kept.pinned.filter(isInProject), root, copy), ...guards.flags]
  const placeholders = isTrial ? [] : [...new Set([...guards.placeholders, ...kept.placeholders])]
  const flags = [
    ...isolation,
    ...(network ? ["--share-net"] : []),
    ...ties,
    ...(yield* systemFlags(network)),
    ...(home === "/" ? [] : ["--tmpfs", home]),
    ...(cache === undefined ? ["--tmpfs", cacheInSandbox] : ["--bind", cache, cacheInSandbox]),
    ...bind("--ro-bind", alone),
    ...toolchains.shown.flatMap(({ from, to }) => ["--ro-bind", from, to]),
    ...(yield* hide(toolchains.keys)),
    ...bind("--ro-bind", readable),
    ...bind(isTrial ? "--ro-bind" : "--bind", writable),
    ...bind("--bind", isTrial ? [] : kept.pinned.filter((one) => !isInProject(one))),
    ...ofProject,
    ...guards.hiding,
    ...(isTrial ? [] : kept.placeholders.flatMap(emptyAndFixed)),
    ...(yield* masked({ ...places, home }, kept.own)),
    ...(command.forwarder ?? []),
    "--remount-ro",
    "/"
  ]
  return {
    ...boundTemporary(flags, temporaryBytes),
    guarded: [...guards.guarded, ...[...kept.own, ...kept.placeholders].filter(isInProject)],
    /** Placeholders in a copy disappear with it. */
    placeholders: copy === undefined ? placeholders : placeholders.filter((one) => !isInProject(one)),
    variables: toolchains.variables,
    shownPaths: [...alone, ...toolchains.shown.map(({ to }) => to), ...readable, ...writable, root]
  }
})
