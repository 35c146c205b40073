/**
 * Working copies of the project for commands. An overlay of the kernel has the project below, what a task proposes above it,
 * and on top an empty layer that takes what the command writes. Where none can be mounted, a folder holds a copy.
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

/** How bubblewrap gets a copy to the path of the project. */
export interface CopyMounts {
  /** Words before those of bubblewrap. */
  readonly before: ReadonlyArray<string>
  /** Flags in the place of the mount of the project. */
  readonly flags: ReadonlyArray<string>
  /** Where bubblewrap finds the folders of the copy; absent when it makes the copy itself. */
  readonly folder?: string
}

interface OverlayPlaces {
  /** The real path of the project. */
  readonly root: string
  /** The private folder of one command. */
  readonly scratch: string
  /** Names of layers in that folder between the project and the top, the upper ones first. */
  readonly layers: ReadonlyArray<string>
}

/** A way to mount an overlay without privileges. */
export type OverlayMounts = (places: OverlayPlaces) => CopyMounts

/** bubblewrap 0.11 mounts overlays; its first source is the lowest. */
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

/*
 * The words of the mount are relative, since a comma or a colon in a path would be read as one of its options. Without
 * `userxattr`, it succeeds and fails at the first removal.
 */
const mountScript = `cd "$1" && mount --rbind "$2" lower && mount -t overlay -o "userxattr,lowerdir=$3:lower,upperdir=upper,workdir=work" task-conductor "$2" || exit 1; shift 3; exec "$@"`

/** A user namespace around bubblewrap, in which this user may mount; inside bubblewrap, the user is the same as outside. */
export const namespaceOverlay =
  (unshare: string): OverlayMounts =>
  ({ layers, root, scratch }) => ({
    before: [unshare, "-Urm", "/bin/sh", "-c", mountScript, "sh", scratch, root, layers.join(":")],
    flags: ["--uid", `${process.getuid?.() ?? 0}`, "--gid", `${process.getgid?.() ?? 0}`, "--bind", root, root],
    folder: root
  })

/** False where nothing is; fails when something else than a folder is there, such as a link. */
const isFolder = async (path: string): Promise<boolean> => {
  const info = await lstat(path).catch(() => undefined)
  if (info !== undefined && !info.isDirectory()) throw new Error(`${path} is not a folder.`)
  return info !== undefined
}

/** Makes a folder in a tree, with the modes of those in the project. No link is followed. */
const makeFoldersLike = async (root: string, tree: string, name: string): Promise<void> => {
  const copied = path.join(tree, name)
  if (name === "." || (await isFolder(copied))) return
  await makeFoldersLike(root, tree, path.dirname(name))
  await mkdir(copied).catch(() => isFolder(copied))
  const like = await lstat(path.join(root, name)).catch(() => undefined)
  if (like?.isDirectory() === true) await chmod(copied, (like.mode & 0o777) | 0o700)
}

/** Writes a proposed file into a tree, with the mode that it has in the project; nothing of one that is removed. */
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
      /* As the file itself would be written. */
      const old = from?.path ?? path.join(root, name)
      const before = like?.isFile() === true ? await readFile(old).catch(() => undefined) : undefined
      const encoded = encodeLike(before, text)
      await writeFile(place, Result.isSuccess(encoded) ? encoded.success : text, { flag: "wx" })
    }
    await chmod(place, kind === undefined ? mode : modeAs(kind, mode))
  })

/** A file of a working copy, by its name relative to the project. */
export interface NamedProposal extends ProposedFile {
  readonly name: string
}

export const changesLayer = "changes"

/** Makes the layers of a command; `hide` marks files of a layer as removed. */
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
  /* A file hides a folder of its name below it, and a folder a file. */
  const isHidden = (name: string) =>
    files.some((one) => one.text !== null && (one.name.startsWith(`${name}/`) || name.startsWith(`${one.name}/`)))
  const removed = files.filter(({ name, text }) => text === null && !isHidden(name))
  yield* doing("mark removed files", async () => {
    for (const { name } of removed) await makeFoldersLike(root, changes, path.dirname(name))
  })
  yield* hide(removed.map(({ name }) => path.join(changes, name)))
})

/** A larger ignored folder is not copied. */
const maxIgnored = { entries: 5000, bytes: 64 * 1_048_576 }
const maxBytes = 2 * 1024 * 1_048_576

const installed: ReadonlySet<string> = new Set(["node_modules", ".venv", "venv", "vendor", ".tox", "bower_components"])

/** The files, folders and links below a path of the project, by name; nothing when they are too many or too large. */
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

/** Copies a file, a folder without what it holds, or a link. Blocks are shared where the file system can. */
const copyEntry = async (root: string, copy: string, name: string): Promise<void> => {
  const [from, to] = [path.join(root, name), path.join(copy, name)]
  const info = await lstat(from)
  await makeFoldersLike(root, copy, info.isDirectory() ? name : path.dirname(name))
  if (info.isSymbolicLink()) return symlink(await readlink(from), to)
  if (!info.isFile()) return
  await copyFile(from, to, constants.COPYFILE_FICLONE)
  /* In the sandbox, root may write only what belongs to it. */
  await chown(to, process.getuid?.() ?? info.uid, process.getgid?.() ?? info.gid)
  await chmod(to, info.mode & 0o777)
  await utimes(to, info.atime, info.mtime)
}

/** What this user cannot read, or what is gone meanwhile, is not in the copy. */
const unlessUnreadable = (error: NodeJS.ErrnoException): void => {
  if (error.code !== "EACCES" && error.code !== "ENOENT") throw error
}

/**
 * Copies the project with the proposed files into an empty folder, and says how bubblewrap mounts it. Installed packages that
 * are large are shown read-only instead, and other large folders that git ignores are left out: they can be made anew.
 * Without `git` repositories are not copied: the guards of the sandbox show them read-only.
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
