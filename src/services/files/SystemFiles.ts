/**
 * Files that the system only shows as files, such as those below /proc and /sys: their size says nothing, their content
 * is made while it is read, may never end, and tells about the machine and its processes.
 */
import { statfs } from "node:fs"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"

/** The kinds of file systems that hold no files of anybody, by the number that Linux gives them. */
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

/** True for a path of the system; false where the system does not say it. */
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

/** What a path is that is no regular file with content of its own, as the end of `It is ...`; nothing for any other. */
export const specialKind = Effect.fnUntraced(function* (path: string, { type }: FileSystem.File.Info) {
  if (type !== "File") return kinds[type]
  return (yield* isSystemFile(path)) ? "made by the system while it is read" : undefined
})
