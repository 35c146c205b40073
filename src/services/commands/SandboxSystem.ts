/**
 * The part of the system that commands see in the sandbox: programs with their libraries, and the settings of the system
 * without its keys. Everything else of the machine is not there.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import { isSecretLike } from "../../domain/files/SensitivePath.ts"
import { isWithin } from "../files/CanonicalPath.ts"

/** Where systems keep programs and libraries. */
const systemFolders = [
  ..."/usr /bin /sbin /lib /lib32 /lib64 /libx32 /opt /etc".split(" "),
  ..."/nix/store /gnu/store /run/current-system /sys/devices/system/cpu".split(" ")
]

/** Folders that exist and are empty: temporary files, and sockets of other programs. */
export const emptied = ["/run", "/tmp", "/var/tmp"]

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
export const realPath = Effect.fnUntraced(function* (given: string) {
  return yield* Effect.option((yield* FileSystem.FileSystem).realPath(given))
})

export const realPaths = Effect.fnUntraced(function* (given: ReadonlyArray<string>) {
  return (yield* Effect.forEach(given, realPath)).flatMap(Option.toArray)
})

export const bind = (how: "--bind" | "--ro-bind", paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  paths.flatMap((path) => [how, path, path])

/** Hides a folder behind an empty one, and a file behind one that cannot be read. */
export const hide = Effect.fnUntraced(function* (paths: ReadonlyArray<string>) {
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
export const systemFlags = Effect.fn("systemFlags")(function* (network: boolean) {
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
export const isOfSystem = (path: Path.Path, one: string): boolean =>
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
export const ownPrograms = Effect.fnUntraced(function* ({ hidden, home, programs, root }: ProgramPlaces) {
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
