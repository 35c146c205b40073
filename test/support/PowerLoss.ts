/**
 * What a disk may hold after a power loss. The calls of a real process that change files are recorded with strace; any moment
 * of the recording can be made into the folders as a disk may have them that was promised only what was synced: of the bytes
 * of a file that were not synced each write is there, is missing or is torn, and of the entries of a folder that was not
 * synced only the first ones are there. (Real file systems often keep more.)
 */
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { dirname, join, resolve } from "node:path"
import type { Random } from "./randomDocuments.ts"

/** The words that start a program whose calls are recorded in a file. */
export const recorder = (file: string): ReadonlyArray<string> => [
  ..."strace -qq -f -y -s 100000000 --seccomp-bpf -e signal=none -o".split(" "),
  file,
  "-e",
  "trace=clone,clone3,openat,write,pwrite64,writev,pwritev,ftruncate,truncate,fsync,fdatasync,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,mkdir,mkdirat,rmdir,chmod,fchmod,fchmodat,copy_file_range,sendfile,fallocate"
]

/**
 * The calls of a process that ended well, such as `rename("a", "b") = 0`, in the order in which they ended. What it starts is left
 * out: commands run in folders that only look like those of the project.
 */
export const callsOf = (text: string): ReadonlyArray<string> => {
  const begun = new Map<string, string>()
  const threads = new Set<string>()
  return text.split("\n").flatMap((line) => {
    const [, thread = "", said = ""] = /^(\d+)\s+(.*)$/s.exec(line) ?? []
    if (threads.size === 0) threads.add(thread)
    if (!threads.has(thread)) return []
    const unfinished = /^(.*) <unfinished \.\.\.>$/s.exec(said)
    if (unfinished !== null) {
      begun.set(thread, unfinished[1] ?? "")
      return []
    }
    const resumed = /^<\.\.\. \w+ resumed>(.*)$/s.exec(said)
    const call = resumed === null ? said : `${begun.get(thread) ?? ""}${resumed[1] ?? ""}`
    const [, what = "", result = ""] = /^(.*\)) += (\d+(?:<[^>]*>)?)$/s.exec(call) ?? []
    if (!what.startsWith("clone")) return what === "" ? [] : [`${what} = ${result}`]
    if (what.includes("CLONE_THREAD")) threads.add(result)
    return []
  })
}

const escapes: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, v: 11, f: 12, a: 7, b: 8 }

/** The bytes of a string as strace writes it. */
const bytesOf = (quoted: string): Buffer => {
  const bytes: Array<number> = []
  for (const [all, octal, letter] of quoted.matchAll(/\\([0-7]{1,3})|\\(.)|[^\\]+/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8))
    else if (letter === undefined) bytes.push(...Buffer.from(all, "latin1"))
    else bytes.push(escapes[letter] ?? letter.charCodeAt(0))
  }
  return Buffer.from(bytes)
}

interface FileWrite {
  /** `undefined` cuts the file at `at`. */
  readonly data?: Buffer
  readonly at: number
}

/** A file, a link or a folder. */
interface Inode {
  readonly kind: "file" | "link" | "folder"
  mode: number
  /** What is on the disk for certain. */
  synced: Buffer
  /** What is not, in order. */
  pending: Array<FileWrite>
}

/** A change of the entries of folders; without an inode the entry is removed. */
interface EntryChange {
  readonly folder: string
  readonly entries: ReadonlyArray<readonly [path: string, inode: Inode | undefined]>
  isSynced: boolean
}

const applied = (before: Buffer, { at, data }: FileWrite): Buffer => {
  const size = data === undefined ? at : Math.max(before.length, at + data.length)
  const after = Buffer.alloc(size)
  before.copy(after)
  data?.copy(after, at)
  return after
}

const newInode = (kind: Inode["kind"], mode: number): Inode => ({ kind, mode, synced: Buffer.alloc(0), pending: [] })

const text = '"((?:[^"\\\\]|\\\\.)*)"'
const place = "(?:(?:AT_FDCWD|\\d+)<([^>]*)>, )?"
const patterns = {
  open: new RegExp(`^openat\\((?:AT_FDCWD|\\d+)<([^>]*)>, ${text}, ([A-Z_|]+)(?:, (0\\d+))?\\) = (\\d+)<`, "s"),
  write: new RegExp(`^p?writev?(?:64)?\\((\\d+)<([^>]*)>, (.*)\\) = (\\d+)$`, "s"),
  sync: /^f(?:data)?sync\(\d+<([^>]*)>\)/,
  cut: /^ftruncate\(\d+<([^>]*)>, (\d+)\)/,
  rename: new RegExp(`^(rename|link)(?:at2?)?\\(${place}${text}, ${place}${text}`, "s"),
  symlink: new RegExp(`^symlink(?:at)?\\(${text}, ${place}${text}`, "s"),
  remove: new RegExp(`^(?:unlink(?:at)?|rmdir)\\(${place}${text}`, "s"),
  folder: new RegExp(`^mkdir(?:at)?\\(${place}${text}, (0\\d+)`, "s"),
  mode: new RegExp(`^(?:fchmod\\(\\d+<([^>]*)>|(?:chmod|fchmodat)\\(${place}${text}), (0\\d+)`, "s")
}

/** The folders below `root`, which change call by call; those that are there now are on the disk for certain. */
export const makeDisk = (root: string) => {
  /** As the process sees it. */
  const seen = new Map<string, Inode>()
  const onDisk = new Map<string, Inode>()
  const changes: Array<EntryChange> = []
  const open = new Map<string, { readonly inode: Inode; readonly appends: boolean; at: number }>()
  const folders = new Map<string, string>()
  let stdout = ""

  for (const one of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(one.parentPath, one.name)
    const inode = newInode(
      one.isDirectory() ? "folder" : one.isSymbolicLink() ? "link" : "file",
      lstatSync(path).mode & 0o777
    )
    if (inode.kind === "file") inode.synced = readFileSync(path)
    if (inode.kind === "link") inode.synced = Buffer.from(readlinkSync(path))
    seen.set(path, inode)
    onDisk.set(path, inode)
  }

  const isInside = (path: string): boolean => path.startsWith(`${root}/`)
  /** A path of a call; one that begins with an open folder is followed. */
  const pathOf = (from: string | undefined, quoted: string): string => {
    const path = resolve(from ?? root, bytesOf(quoted).toString())
    return path.replace(/^\/proc\/(?:self|\d+)\/fd\/(\d+)/, (all, fd: string) => folders.get(fd) ?? all)
  }
  const change = (...entries: EntryChange["entries"]): void => {
    const inside = entries.filter(([path]) => isInside(path))
    if (inside.length === 0) return
    changes.push({ folder: dirname(inside.at(-1)?.[0] ?? ""), entries: inside, isSynced: false })
    for (const [path, inode] of inside) {
      if (inode === undefined) seen.delete(path)
      else seen.set(path, inode)
    }
  }
  /** Everything below a folder goes with it. */
  const moved = (from: string, to: string, isLink: boolean): void => {
    const inode = seen.get(from)
    if (inode === undefined) return
    const below = [...seen].filter(([path]) => path.startsWith(`${from}/`))
    const gone = isLink ? [] : [...below.map(([path]) => [path, undefined] as const), [from, undefined] as const]
    change(...gone, [to, inode], ...below.map(([path, one]) => [to + path.slice(from.length), one] as const))
  }

  /** Takes one call. */
  const take = (call: string): void => {
    for (const [, fd = "", path = ""] of call.matchAll(/\b(\d+)<(\/[^>]*)>/g)) folders.set(fd, path)
    const opened = patterns.open.exec(call)
    if (opened !== null) {
      const [, from, name = "", flags = "", mode = "0644", fd = ""] = opened
      const path = pathOf(from, name)
      if (!isInside(path)) return void open.delete(fd)
      if (!seen.has(path) && flags.includes("O_CREAT"))
        change([path, newInode("file", Number.parseInt(mode, 8) & 0o755)])
      const inode = seen.get(path)
      if (inode?.kind !== "file") return void open.delete(fd)
      if (flags.includes("O_TRUNC")) inode.pending.push({ at: 0 })
      open.set(fd, { inode, appends: flags.includes("O_APPEND"), at: 0 })
      return
    }
    const written = patterns.write.exec(call)
    if (written !== null) {
      const [, fd = "", path = "", given = "", count = "0"] = written
      const parts = [...given.matchAll(new RegExp(text, "gs"))].map(([, quoted = ""]) => bytesOf(quoted))
      const data = Buffer.concat(parts).subarray(0, Number(count))
      if (fd === "1") stdout += data.toString()
      const file = open.get(fd)
      if (file === undefined || !isInside(path)) return
      const offset = call.startsWith("pwrite") ? Number(/, (\d+)$/.exec(given)?.[1] ?? "0") : undefined
      const end = [...file.inode.pending].reduce(applied, file.inode.synced).length
      const at = offset ?? (file.appends ? end : file.at)
      file.inode.pending.push({ at, data })
      if (offset === undefined) file.at = at + data.length
      return
    }
    const [, synced] = patterns.sync.exec(call) ?? []
    if (synced !== undefined) {
      const inode = seen.get(synced)
      if (inode?.kind === "file") {
        inode.synced = inode.pending.reduce(applied, inode.synced)
        inode.pending = []
      }
      for (const one of changes) if (one.folder === synced) one.isSynced = true
      return
    }
    const cut = patterns.cut.exec(call)
    if (cut !== null) return void seen.get(cut[1] ?? "")?.pending.push({ at: Number(cut[2]) })
    const renamed = patterns.rename.exec(call)
    if (renamed !== null) {
      const [, what, from, name = "", fromNew, newName = ""] = renamed
      return moved(pathOf(from, name), pathOf(fromNew, newName), what === "link")
    }
    const linked = patterns.symlink.exec(call)
    if (linked !== null) {
      const inode = newInode("link", 0o777)
      inode.synced = bytesOf(linked[1] ?? "")
      return change([pathOf(linked[2], linked[3] ?? ""), inode])
    }
    const removed = patterns.remove.exec(call)
    if (removed !== null) return change([pathOf(removed[1], removed[2] ?? ""), undefined])
    const made = patterns.folder.exec(call)
    if (made !== null)
      return change([pathOf(made[1], made[2] ?? ""), newInode("folder", Number.parseInt(made[3] ?? "", 8) & 0o755)])
    const changed = patterns.mode.exec(call)
    if (changed !== null) {
      const [, file, from, name = "", mode = ""] = changed
      const inode = seen.get(file ?? pathOf(from, name))
      if (inode !== undefined) inode.mode = Number.parseInt(mode, 8)
      return
    }
    if ([...seen.keys()].some((path) => call.includes(path)))
      throw new Error(`What does this call do? ${call.slice(0, 200)}`)
  }

  /** What may be left of the bytes of a file. */
  const bytesLeft = ({ pending, synced }: Inode, random: Random): Buffer => {
    const fate = random(4)
    if (fate === 0) return pending.reduce(applied, synced)
    if (fate === 1) return synced
    const left = pending.flatMap((one): ReadonlyArray<FileWrite> => {
      const { at, data } = one
      if (random(2) === 0) return []
      /* Disks write whole sectors. */
      if (data === undefined || random(2) === 0) return [one]
      const sector = (Math.floor((at + random(data.length + 1)) / 512) + 1) * 512 - at
      return random(2) === 0
        ? [{ at, data: data.subarray(0, sector) }]
        : [{ at: at + sector, data: data.subarray(sector) }]
    })
    return left.filter(({ data }) => data?.length !== 0).reduce(applied, synced)
  }

  return {
    take,
    /** What was written to stdout. */
    stdout: () => stdout,
    /** Puts one state that the disk may be in into the folder, which must be empty. */
    lose: (random: Random): void => {
      const entries = new Map(onDisk)
      const kept = new Map<string, number>()
      for (const { folder, isSynced } of changes)
        if (!isSynced && !kept.has(folder)) {
          const count = changes.filter((one) => !one.isSynced && one.folder === folder).length
          kept.set(folder, random(3) === 0 ? count : random(count + 1))
        }
      for (const { entries: changed, folder, isSynced } of changes) {
        const left = kept.get(folder) ?? 0
        if (!isSynced && left === 0) continue
        if (!isSynced) kept.set(folder, left - 1)
        for (const [path, inode] of changed) {
          if (inode === undefined) entries.delete(path)
          else entries.set(path, inode)
        }
      }
      for (const [path, inode] of [...entries].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
        /* The folder itself was lost. */
        if (!existsSync(dirname(path))) continue
        if (inode.kind === "folder") mkdirSync(path)
        else if (inode.kind === "link") symlinkSync(inode.synced.toString(), path)
        else writeFileSync(path, bytesLeft(inode, random))
        if (inode.kind !== "link") chmodSync(path, inode.mode)
      }
    }
  }
}
