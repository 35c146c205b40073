/**
 * Makes paths canonical: absolute, with links resolved as far as the path exists. Permissions apply to this path, and
 * tools open only this path. Also recognises files that the system generates, such as those in /proc.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as path from "node:path"
import { systemError } from "effect/PlatformError"
import { ToolFailure } from "../../domain/tools/ToolCall.ts"
import { fileFailure, ifFound } from "./FileFailure.ts"
import { isMissing, realPath } from "./FileLook.ts"
import { statfs } from "node:fs"

/** The maximum number of dangling links in a path. A path with more links counts as a cycle. */
const maxLinks = 40

/** True if `candidate` is `root` or below it. Both must be canonical. Compares whole names: `/ab` is not below `/a`. */
export const isWithin = (root: string, candidate: string): boolean => {
  const relative = path.relative(root, candidate)
  return relative === "" || (!path.isAbsolute(relative) && relative.split(path.sep)[0] !== "..")
}

/** The target of a dangling link; undefined if there is no link. */
const danglingTarget = Effect.fnUntraced(function* (candidate: string) {
  const fs = yield* FileSystem.FileSystem
  const target = yield* ifFound(fs.readLink(candidate))
  if (target === undefined) return undefined
  return path.resolve(yield* fs.realPath(path.dirname(candidate)), target)
})

/** Resolves the deepest existing folder of a path and appends the remaining names. Follows dangling links. */
const resolveExisting = Effect.fnUntraced(function* (absolute: string) {
  let candidate = absolute
  let rest = ""
  let links = 0
  while (true) {
    const real = yield* realPath(candidate)
    if (real !== undefined) return path.join(real, rest)
    const target = (yield* isMissing(candidate)) ? undefined : yield* danglingTarget(candidate)
    if (target === undefined) {
      rest = path.join(path.basename(candidate), rest)
      candidate = path.dirname(candidate)
    } else if (links < maxLinks) {
      links += 1
      candidate = target
    } else {
      return yield* systemError({
        _tag: "BadResource",
        module: "FileSystem",
        method: "realPath",
        cause: { code: "ELOOP" }
      })
    }
  }
})

/**
 * The canonical form of a written path. Relative paths start at `root`, which must be canonical. Blanks, quotes and `~`
 * are ordinary characters.
 */
export const canonicalPath = Effect.fn("canonicalPath")(function* (root: string, written: string) {
  if (written === "" || written.includes("\0")) {
    const what = written === "" ? "The path is empty." : `The path ${JSON.stringify(written)} holds a NUL character.`
    return yield* new ToolFailure({ type: "validation_failed", message: `${what} Give the path of a file.` })
  }
  const resolved = yield* resolveExisting(path.resolve(root, written)).pipe(
    Effect.mapError(fileFailure("resolve", written))
  )
  return { path: resolved, inside: isWithin(root, resolved) }
})

/** The real path of a file if a link on the way leads out of the folder; otherwise undefined. */
export const leadsOut = Effect.fn("leadsOut")(function* (folder: string, file: string) {
  const root = path.resolve(folder)
  if (!isWithin(root, path.resolve(root, file))) return undefined
  const [from, to] = [yield* pathFrom(root, "."), yield* pathFrom(root, file)]
  return from === undefined || to === undefined || isWithin(from, to) ? undefined : to
})

/** The canonical path; undefined if it cannot be determined. */
export const pathFrom = (folder: string, written: string) =>
  Effect.match(canonicalPath(folder, written), { onFailure: () => undefined, onSuccess: (found) => found.path })

/** File systems of Linux without files of users. */
const systemKinds: ReadonlySet<number> = new Set([
  0x9fa0, // proc
  0x62656572, // sysfs
  0x64626720, // debugfs
  0x74726163, // tracefs
  0x73636673, // securityfs
  0x0027e0eb, // cgroup
  0x63677270, // cgroup2
  0xcafe4a11, // bpf
  0x6165676c, // pstore
  0xde5e81e4, // efivarfs
  0x62656570, // configfs
  0xf97cff8c, // selinux
  0x42494e4d, // binfmt_misc
  0x19800202, // mqueue
  0x65735543, // fusectl
  0x6e736673, // nsfs
  0x1cd1 // devpts
])

/** True for a file that the system generates. False if this cannot be determined. */
export const isSystemFile = (path: string): Effect.Effect<boolean> =>
  process.platform === "linux"
    ? Effect.callback<boolean>((resume) =>
        statfs(path, (error, found) => resume(Effect.succeed(error === null && systemKinds.has(found.type >>> 0))))
      )
    : Effect.succeed(false)

const kinds: Readonly<Record<FileSystem.File.Type, string>> = {
  File: "a file",
  Directory: "a folder",
  SymbolicLink: "a link now and was not when it was checked",
  BlockDevice: "a device",
  CharacterDevice: "a device",
  FIFO: "a pipe",
  Socket: "a socket",
  Unknown: "of an unknown kind"
}

/**
 * The words that follow `It is` in a message about a special file, such as `a pipe`. Undefined for a regular file with
 * stored content.
 */
export const specialKind = Effect.fnUntraced(function* (path: string, { type }: FileSystem.File.Info) {
  if (type !== "File") return kinds[type]
  return (yield* isSystemFile(path)) ? "made by the system while it is read" : undefined
})
