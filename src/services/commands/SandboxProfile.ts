/**
 * What the sandbox of a command holds: the folders of the system, the project, its own home, and the guards before files
 * that a command must not change or read.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { isSecretLike, secretFolders } from "../../domain/files/SensitivePath.ts"
import { isWithin } from "../files/CanonicalPath.ts"
import type { CopyMounts } from "./OverlayCopy.ts"
import { gitParts, type ProjectSurvey } from "./ProjectSurvey.ts"

/** Where systems keep programs and libraries. */
const systemFolders = [
  ..."/usr /bin /sbin /lib /lib32 /lib64 /libx32 /opt /etc".split(" "),
  ..."/nix/store /gnu/store /run/current-system /sys/devices/system/cpu".split(" ")
]

/** Folders that exist and are empty: temporary files, and sockets of other programs. */
const emptied = ["/run", "/tmp", "/var/tmp"]

/** Keys of the system, which only matter for a user who may read them. */
const systemKeys = `
  shadow shadow- gshadow gshadow- sudoers sudoers.d security/opasswd ssh ssl/private pki/tls/private letsencrypt docker
  containerd kubernetes rancher wireguard openvpn ipsec.secrets ipsec.d swanctl strongswan ppp wpa_supplicant
  NetworkManager/system-connections krb5.keytab fstab crypttab luks cni ceph vault.d consul.d mysql/debian.cnf
`
  .trim()
  .split(/\s+/)

/** Folders beside `bin` that hold what the programs load. */
const besidePrograms = ["lib", "lib64", "libexec"]

/** The real path of what exists; nothing for what does not. */
const realPath = Effect.fnUntraced(function* (given: string) {
  return yield* Effect.option((yield* FileSystem.FileSystem).realPath(given))
})

const realPaths = Effect.fnUntraced(function* (given: ReadonlyArray<string>) {
  return (yield* Effect.forEach(given, realPath)).flatMap(Option.toArray)
})

const bind = (how: "--bind" | "--ro-bind" | "--ro-bind-try", paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  paths.flatMap((path) => [how, path, path])

/** Hides a folder behind an empty one, and a file behind one that cannot be read. */
const hide = Effect.fnUntraced(function* (paths: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  return (yield* Effect.forEach(paths, (path) =>
    Effect.match(fs.stat(path), {
      onFailure: () => [],
      onSuccess: ({ type }) => (type === "Directory" ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path])
    })
  )).flat()
})

/** A folder of the system; one that is a link, such as /bin, stays a link. */
const showFolder = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const target = yield* Effect.option(fs.readLink(folder))
  if (Option.isSome(target)) return ["--symlink", target.value, folder]
  return (yield* Effect.orElseSucceed(fs.exists(folder), () => false)) ? bind("--ro-bind", [folder]) : []
})

const readableByOthers = 0o004

/** What in /etc holds keys, by their names, or is kept from other users. */
const keysOfSystem = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const names = yield* Effect.orElseSucceed(fs.readDirectory("/etc"), () => [])
  const isKept = (name: string) =>
    Effect.match(fs.stat(`/etc/${name}`), {
      onFailure: () => false,
      onSuccess: ({ mode, type }) => (mode & readableByOthers) === 0 || (type === "File" && isSecretLike(name))
    })
  const kept = yield* Effect.filter(names, isKept, { concurrency: 16 })
  const existing = yield* realPaths([...new Set([...systemKeys, ...kept])].map((name) => `/etc/${name}`))
  return existing.filter((path) => path.startsWith("/etc/"))
})

const places = "--tmpfs /run --tmpfs /tmp --dir /var --tmpfs /var/tmp --symlink /run /var/run".split(" ")

/** The flags for what every command sees. With the network, names of hosts can be looked up. */
const systemFlags = Effect.fn("systemFlags")(function* (network: boolean) {
  const shown = (yield* Effect.forEach(systemFolders, showFolder)).flat()
  const [resolver] = network ? yield* realPaths(["/etc/resolv.conf"]) : []
  return [
    ...places,
    ...shown,
    ...(yield* hide(yield* keysOfSystem)),
    ...(resolver === undefined || resolver.startsWith("/etc/") ? [] : bind("--ro-bind", [resolver])),
    "--dev",
    "/dev",
    "--proc",
    "/proc"
  ]
})

/** True for a real path that every command sees. */
const isOfSystem = (path: Path.Path, one: string): boolean =>
  systemFolders.some((folder) => isWithin(path, folder, one))

interface ProgramPlaces {
  readonly home: string
  readonly root: string
  /** The folders of the search path. */
  readonly programs: ReadonlyArray<string>
  /** Never shown, and nothing above them. */
  readonly hidden: ReadonlyArray<string>
}

/** The folders of programs outside the system, with the folders beside them. */
const ownPrograms = Effect.fnUntraced(function* ({ hidden, home, programs, root }: ProgramPlaces) {
  const path = yield* Path.Path
  const isTooWide = (folder: string) => [home, root, ...hidden, ...emptied].some((one) => isWithin(path, folder, one))
  const folders = (yield* realPaths(programs)).filter(
    (folder) => !isOfSystem(path, folder) && !isTooWide(folder) && !isWithin(path, root, folder)
  )
  const beside = folders
    .filter((folder) => path.basename(folder) === "bin")
    .flatMap((folder) => besidePrograms.map((name) => path.join(path.dirname(folder), name)))
  const found = (yield* realPaths(beside)).filter((folder) => !isTooWide(folder))
  return [...new Set([...folders, ...found])].toSorted((a, b) => a.length - b.length)
})

/**
 * What commands may not change or read in the project, as flags of bubblewrap: repositories, files that control git or
 * this program, and secrets.
 */
interface GuardedPlaces {
  readonly root: string
  readonly survey: ProjectSurvey
  /** What the person names, real paths: files among them are shown although they look like secrets. */
  readonly readable: ReadonlyArray<string>
  readonly writable: ReadonlyArray<string>
  /** Whether commands may commit: only what makes git run programs is read-only. */
  readonly git: boolean
  readonly copy: CopyMounts | undefined
}

interface Guards {
  readonly flags: ReadonlyArray<string>
  /** Paths that commands cannot change. */
  readonly guarded: ReadonlyArray<string>
  /** Folders that do not exist, and are there while commands run, so that nothing else can be made in their place. */
  readonly placeholders: ReadonlyArray<string>
}

/** The folders between the project and a path: what is mounted on itself cannot be moved away. */
const foldersAbove = (path: Path.Path, root: string, one: string): ReadonlyArray<string> => {
  const above: Array<string> = []
  for (let folder = path.dirname(one); folder !== root && isWithin(path, root, folder); folder = path.dirname(folder))
    above.unshift(folder)
  return above
}

const byDepth = (a: string, b: string): number => a.split("/").length - b.split("/").length

/** Mounts folders on themselves. In a copy that bubblewrap makes itself they may move, since nothing there is the project. */
const pin = (path: Path.Path, folders: ReadonlyArray<string>, root: string, copy: CopyMounts | undefined) => {
  if (copy === undefined) return bind("--bind", folders)
  const { folder } = copy
  if (folder === undefined) return []
  return folders.flatMap((one) => ["--bind-try", path.join(folder, path.relative(root, one)), one])
}

/** How a path can be protected: a link cannot; what it leads to has its own entry, and it is compared afterwards. */
const stateOf = Effect.fnUntraced(function* (one: string) {
  const fs = yield* FileSystem.FileSystem
  const real = yield* Effect.option(fs.realPath(one))
  if (real._tag === "Some") return real.value === one ? "there" : "link"
  return (yield* Effect.option(fs.readLink(one)))._tag === "Some" ? "link" : "missing"
})

/** The highest folder on the way to a missing path that is missing too: in its place, nothing can be moved away. */
const highestMissing = Effect.fnUntraced(function* (root: string, one: string) {
  const path = yield* Path.Path
  for (const folder of foldersAbove(path, root, one)) if ((yield* stateOf(folder)) === "missing") return folder
  return one
})

const isFolder = Effect.fnUntraced(function* (one: string) {
  const fs = yield* FileSystem.FileSystem
  return yield* Effect.match(fs.stat(one), {
    onFailure: () => false,
    onSuccess: ({ type }) => type === "Directory"
  })
})

/** The parts of open repositories that stay as they are: those that exist, and hooks, which could come. */
const partsOf = Effect.fnUntraced(function* (repository: string) {
  const path = yield* Path.Path
  const parts = gitParts.map((name) => path.join(repository, name))
  return yield* Effect.filter(parts, (part) =>
    Effect.map(stateOf(part), (state) => state === "there" || (state === "missing" && part.endsWith("/hooks")))
  )
})

const guardProject = Effect.fn("guardProject")(function* (places: GuardedPlaces) {
  const path = yield* Path.Path
  const { copy, git, readable, root, survey, writable } = places
  const { controls, walk } = survey
  const repositories = yield* Effect.filter([...walk.git, ...walk.bare], isFolder)
  const open = repositories.filter((one) => git || one === root)
  const parts = (yield* Effect.forEach(open, partsOf)).flat()
  const all = [...new Set([...controls.inside, ...walk.controls, ...parts])].filter((one) => one !== root)
  const states = new Map(
    yield* Effect.forEach(all, (one) => Effect.map(stateOf(one), (state) => [one, state] as const))
  )
  const closed = all.filter((one) => states.get(one) === "there" && !open.includes(one)).toSorted(byDepth)
  const missing = all.filter(
    (one) => states.get(one) === "missing" && !closed.some((folder) => isWithin(path, folder, one))
  )
  const placeholders = [...new Set(yield* Effect.forEach(missing, (one) => highestMissing(root, one)))]
  const above = [...closed, ...placeholders].flatMap((one) => foldersAbove(path, root, one))
  const pinned = yield* Effect.filter([...new Set([...above, ...open.filter((one) => one !== root)])], isFolder)
  const movable = pinned.filter((one) => !closed.some((folder) => isWithin(path, folder, one)))
  const secrets = walk.secrets.filter((one) => !readable.includes(one) && !writable.includes(one))
  const guards: Guards = {
    flags: [
      ...bind("--ro-bind", controls.outside),
      ...bind(
        "--ro-bind",
        controls.around.filter((one) => writable.some((folder) => isWithin(path, folder, one)))
      ),
      ...pin(path, movable.toSorted(byDepth), root, copy),
      /* A copy may lack what its task removes. */
      ...bind(copy === undefined ? "--ro-bind" : "--ro-bind-try", closed),
      ...placeholders.flatMap((one) => ["--tmpfs", one, "--remount-ro", one]),
      ...(yield* hide(secrets))
    ],
    guarded: [...closed, ...placeholders, ...secrets],
    placeholders
  }
  return guards
})

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

/**
 * The flags of bubblewrap for commands of this project, without the command. `program` is its real path, and `copy` stands
 * for the project when there is one.
 */
export const sandboxFlags = Effect.fn("sandboxFlags")(function* (
  places: SandboxPlaces,
  survey: ProjectSurvey,
  program: string | undefined,
  copy: CopyMounts | undefined
) {
  const path = yield* Path.Path
  const { git, network, root } = places
  const home = Option.getOrElse(yield* realPath(places.home), () => places.home)
  const isInBin = program !== undefined && path.basename(path.dirname(program)) === "bin"
  const programs = isInBin ? [...places.programs, path.dirname(program)] : places.programs
  const alone = program === undefined || isInBin || isOfSystem(path, program) ? [] : [program]
  const readable = yield* realPaths(places.readable)
  const writable = yield* realPaths(places.writable)
  const guards = yield* guardProject({ root, survey, git, readable, writable, copy })
  const flags = [
    ...isolation,
    ...(network ? ["--share-net"] : []),
    ...ties,
    ...(yield* systemFlags(network)),
    ...(home === "/" ? [] : ["--tmpfs", home]),
    ...bind("--ro-bind", [...(yield* ownPrograms({ ...places, home, programs })), ...alone]),
    ...bind("--ro-bind", readable),
    ...bind("--bind", writable),
    ...(copy?.flags ?? bind("--bind", [root])),
    ...guards.flags,
    ...(yield* masked({ ...places, home })),
    "--remount-ro",
    "/"
  ]
  return { flags, guarded: guards.guarded, placeholders: guards.placeholders }
})
