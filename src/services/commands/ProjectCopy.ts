/**
 * Working copies of the project for commands. The kernel mounts an overlay of layers: the project at the bottom, the
 * proposals of the task, and an empty layer on top for what the command writes. If no overlay works, a copy of the
 * folder is used.
 */
import {
  chmod,
  chown,
  constants,
  copyFile,
  lstat,
  mkdir,
  opendir,
  readFile,
  readlink,
  symlink,
  utimes,
  writeFile
} from "node:fs/promises"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { encodeLike } from "../../domain/text/EncodeLike.ts"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { modeAs } from "../../domain/files/FileKind.ts"
import { isOpaque, type ProposedFile } from "../../domain/files/ProposedFile.ts"
import { doing, walkLayer } from "./LayerWalk.ts"

/** What makes bubblewrap show a copy at the path of the project. */
export interface CopyMounts {
  /** The words before the call of bubblewrap. */
  readonly before: ReadonlyArray<string>
  /** The flags that mount the copy, in place of the flags that mount the project. */
  readonly flags: ReadonlyArray<string>
  /** The folder with the content of the copy. Absent if bubblewrap mounts the overlay. */
  readonly folder?: string
}

interface OverlayPlaces {
  /** The real path of the project. */
  readonly root: string
  /** The private folder for one command. */
  readonly scratch: string
  /** The layers between the project and the top layer, upper ones first. */
  readonly layers: ReadonlyArray<string>
}

/** A way to mount an overlay without privileges. */
export type OverlayMounts = (places: OverlayPlaces) => CopyMounts

/** The overlay of bubblewrap 0.11 and later. Its first source is the lowest layer. */
export const bubblewrapOverlay: OverlayMounts = ({ layers, root, scratch }) => ({
  before: [],
  flags: [
    ...[root, ...layers.map((name) => path.join(scratch, name)).toReversed()].flatMap((one) => ["--overlay-src", one]),
    "--overlay",
    path.join(scratch, "upper"),
    path.join(scratch, "work"),
    root
  ]
})

/**
 * Mounts an overlay. Paths are relative, because a comma or colon in an absolute path would end a mount option. Without
 * `userxattr`, the mount succeeds, but the first removal of a file fails.
 */
const mountScript = `cd "$1" && mount --rbind "$2" lower && mount -t overlay -o "userxattr,lowerdir=$3:lower,upperdir=upper,workdir=work" task-conductor "$2" || exit 1; shift 3; exec "$@"`

/**
 * Mounts the overlay in a user namespace, where this user may mount file systems, and starts bubblewrap there. The
 * command has the same user id as outside.
 */
export const namespaceOverlay =
  (unshare: string): OverlayMounts =>
  ({ layers, root, scratch }) => ({
    before: [unshare, "-Urm", "/bin/sh", "-c", mountScript, "sh", scratch, root, layers.join(":")],
    flags: ["--uid", `${process.getuid?.() ?? 0}`, "--gid", `${process.getgid?.() ?? 0}`, "--bind", root, root],
    folder: root
  })

/** True for a folder. Fails if something else is there, such as a link. */
const isFolder = async (path: string): Promise<boolean> => {
  const info = await lstat(path).catch(() => undefined)
  if (info !== undefined && !info.isDirectory()) throw new Error(`${path} is not a folder.`)
  return info !== undefined
}

/**
 * Creates a folder and its missing parents in a copy. Each folder gets the mode that it has in the project. Follows no
 * links.
 */
const makeFoldersLike = async (root: string, tree: string, name: string): Promise<void> => {
  const copied = path.join(tree, name)
  if (name === "." || (await isFolder(copied))) return
  await makeFoldersLike(root, tree, path.dirname(name))
  await mkdir(copied).catch(() => isFolder(copied))
  const like = await lstat(path.join(root, name)).catch(() => undefined)
  if (like?.isDirectory() === true) await chmod(copied, (like.mode & 0o777) | 0o700)
}

/** Writes a proposed file into a copy, with its mode in the project. Does nothing for a proposed removal. */
const putFile = (root: string, tree: string, file: NamedProposal): Effect.Effect<void, ToolFailure> =>
  doing(`write ${file.name} into the working copy`, async () => {
    const { from, kind, name, text } = file
    if (text === null) return
    const place = path.join(tree, name)
    await makeFoldersLike(root, tree, path.dirname(name))
    if (kind === "link") return symlink(text, place)
    const like = await lstat(from?.path ?? path.join(root, name)).catch(() => undefined)
    const mode = like?.isFile() === true ? like.mode & 0o777 : 0o644
    if (from !== undefined && isOpaque(file)) {
      await copyFile(from.path, place, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    } else {
      const old = from?.path ?? path.join(root, name)
      const before = like?.isFile() === true ? await readFile(old).catch(() => undefined) : undefined
      const encoded = encodeLike(before, text)
      await writeFile(place, Result.isSuccess(encoded) ? encoded.success : text, { flag: "wx" })
    }
    await chmod(place, kind === undefined ? mode : modeAs(kind, mode))
  })

/** A proposed file, by its name relative to the project. */
export interface NamedProposal extends ProposedFile {
  readonly name: string
}

export const changesLayer = "changes"

/** Creates the layers for a command. `hide` marks files of lower layers as removed. */
export const makeLayers = Effect.fn("makeLayers")(function* (
  { root, scratch }: Omit<OverlayPlaces, "layers">,
  files: ReadonlyArray<NamedProposal>,
  hide: (paths: ReadonlyArray<string>) => Effect.Effect<void, ToolFailure>
) {
  const changes = path.join(scratch, changesLayer)
  const folders = ["lower", "upper", "work", changesLayer].map((name) => path.join(scratch, name))
  yield* doing(`make ${scratch}`, async () => {
    const { mode } = await lstat(root)
    for (const folder of folders) await mkdir(folder)
    for (const folder of [path.join(scratch, "upper"), changes]) await chmod(folder, (mode & 0o777) | 0o700)
  })
  for (const file of files) yield* putFile(root, changes, file)
  /**
   * True if a new entry already hides the removed one in the lower layers. A new file hides a folder, and a new folder
   * hides a file.
   */
  const isHidden = (name: string) =>
    files.some((one) => one.text !== null && (one.name.startsWith(`${name}/`) || name.startsWith(`${one.name}/`)))
  const removed = files.filter(({ name, text }) => text === null && !isHidden(name))
  yield* doing("mark removed files", async () => {
    for (const { name } of removed) await makeFoldersLike(root, changes, path.dirname(name))
  })
  yield* hide(removed.map(({ name }) => path.join(changes, name)))
})

/** The maximum size of an ignored folder that is copied. */
const maxIgnored = { entries: 5000, bytes: 64 * 1_048_576 }
const maxBytes = 2 * 1024 * 1_048_576

const installed: ReadonlySet<string> = new Set(["node_modules", ".venv", "venv", "vendor", ".tox", "bower_components"])

/** The names of everything below a project path. Undefined if there are too many entries, or too many bytes. */
const smallTree = async (root: string, name: string): Promise<ReadonlyArray<string> | undefined> => {
  const names = [name]
  let bytes = 0
  for (let at = 0; at < names.length; at += 1) {
    const current = names[at] ?? name
    const info = await lstat(path.join(root, current))
    if (info.isFile()) bytes += info.size
    else if (info.isDirectory())
      for await (const entry of await opendir(path.join(root, current))) names.push(path.join(current, entry.name))
    if (names.length > maxIgnored.entries || bytes > maxIgnored.bytes) return undefined
  }
  return names
}

/** Copies a file, a link, or a folder without its content. Shares the blocks of a file if the file system can. */
const copyEntry = async (root: string, copy: string, name: string): Promise<void> => {
  const [from, to] = [path.join(root, name), path.join(copy, name)]
  const info = await lstat(from)
  await makeFoldersLike(root, copy, info.isDirectory() ? name : path.dirname(name))
  if (info.isSymbolicLink()) return symlink(await readlink(from), to)
  if (!info.isFile()) return
  await copyFile(from, to, constants.COPYFILE_FICLONE)
  /** Makes the user of this program the owner of the copy. In the sandbox, even root can write only its own files. */
  await chown(to, process.getuid?.() ?? info.uid, process.getgid?.() ?? info.gid)
  await chmod(to, info.mode & 0o777)
  await utimes(to, info.atime, info.mtime)
}

/** Ignores the error of an unreadable or vanished file, so the copy lacks this file. Throws any other error again. */
const unlessUnreadable = (error: NodeJS.ErrnoException): void => {
  if (error.code !== "EACCES" && error.code !== "ENOENT") throw error
}

/**
 * Copies the project with the proposed files into an empty folder, and returns the mounts for bubblewrap. Large folders
 * of installed packages are mounted read-only instead. Other large folders that git ignores are omitted, since they can
 * be generated again. Without `git`, the sandbox mounts repositories read-only, so they are not copied.
 */
export const copyProject = Effect.fn("copyProject")(function* (
  { copy, git, root }: { readonly root: string; readonly copy: string; readonly git: boolean },
  files: ReadonlyArray<NamedProposal>
) {
  const proposed = new Set(files.map(({ name }) => name))
  const { entries, ignored } = yield* walkLayer({ root, folder: root, behind: [] })
  const bytes = entries.reduce((sum, { info }) => sum + (info.isFile() ? info.size : 0), 0)
  if (bytes > maxBytes) {
    const message = `The project has more than ${maxBytes / 1024 ** 3} GB of files, too many to copy them for a command.`
    return yield* new ToolFailure({ type: "io_error", message })
  }
  const names = entries.map(({ name }) => name)
  const linkedFolders: Array<string> = []
  for (const name of ignored) {
    if (path.basename(name) === ".git" && !git) continue
    const tree = yield* Effect.orElseSucceed(
      doing(`read ${name}`, () => smallTree(root, name)),
      () => undefined
    )
    if (tree !== undefined) names.push(...tree)
    else if (installed.has(path.basename(name)) || path.basename(name) === ".git") linkedFolders.push(name)
  }
  yield* Effect.forEach(
    names.filter((name) => !proposed.has(name)),
    (name) => doing(`copy ${name}`, () => copyEntry(root, copy, name).catch(unlessUnreadable)),
    { concurrency: 16, discard: true }
  )
  for (const file of files) yield* putFile(root, copy, file)
  const mounts: CopyMounts = {
    before: [],
    flags: [
      "--bind",
      copy,
      root,
      ...linkedFolders.flatMap((name) => ["--ro-bind", path.join(root, name), path.join(root, name)])
    ],
    folder: copy
  }
  return mounts
})
