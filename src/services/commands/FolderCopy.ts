/**
 * A copy of the project in a folder, as the working copy of a command where overlays cannot be mounted. Installed packages
 * that are large are shown read-only instead, and other large folders that git ignores are left out: they can be made anew.
 */
import { chmod, chown, constants, copyFile, lstat, opendir, readlink, symlink, utimes } from "node:fs/promises"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { doing, walkLayer } from "./LayerWalk.ts"
import { type CopyMounts, makeFoldersLike, type NamedProposal, putText } from "./OverlayCopy.ts"

/** A larger ignored folder is not copied. */
const maxIgnored = { entries: 5000, bytes: 64 * 1_048_576 }
const maxBytes = 2 * 1024 * 1_048_576

const installed: ReadonlySet<string> = new Set(["node_modules", ".venv", "venv", "vendor", ".tox", "bower_components"])

interface FolderCopyPlaces {
  readonly root: string
  /** An empty folder. */
  readonly copy: string
  /** Whether repositories are copied too; otherwise the guards of the sandbox show them read-only. */
  readonly git: boolean
}

/** The files, folders and links below a path of the project, by name; nothing when they are too many or too large. */
const smallTree = async (root: string, name: string): Promise<ReadonlyArray<string> | undefined> => {
  const found = [name]
  let bytes = 0
  for (let at = 0; at < found.length; at += 1) {
    const one = found[at] ?? name
    const info = await lstat(path.join(root, one))
    if (info.isFile()) bytes += info.size
    else if (info.isDirectory())
      for await (const entry of await opendir(path.join(root, one))) found.push(path.join(one, entry.name))
    if (found.length > maxIgnored.entries || bytes > maxIgnored.bytes) return undefined
  }
  return found
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

/** Makes the copy with the proposed files, and says how bubblewrap mounts it. */
export const copyProject = Effect.fn("copyProject")(function* (
  { copy, git, root }: FolderCopyPlaces,
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
  const shown: Array<string> = []
  for (const name of ignored) {
    if (path.basename(name) === ".git" && !git) continue
    const tree = yield* Effect.orElseSucceed(
      doing(`read ${name}`, () => smallTree(root, name)),
      () => undefined
    )
    if (tree !== undefined) names.push(...tree)
    else if (installed.has(path.basename(name)) || path.basename(name) === ".git") shown.push(name)
  }
  yield* Effect.forEach(
    names.filter((name) => !proposed.has(name)),
    (name) => doing(`copy ${name}`, () => copyEntry(root, copy, name).catch(unlessUnreadable)),
    { concurrency: 16, discard: true }
  )
  for (const { name, text } of files) if (text !== null) yield* putText(root, copy, name, text)
  const mounts: CopyMounts = {
    before: [],
    flags: [
      "--bind",
      copy,
      root,
      ...shown.flatMap((name) => ["--ro-bind", path.join(root, name), path.join(root, name)])
    ],
    folder: copy
  }
  return mounts
})
