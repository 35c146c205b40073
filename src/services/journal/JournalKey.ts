/**
 * The key with which this person's journals are proven, in a file that nobody else can read. It is made when it is first
 * needed, and never leaves this machine.
 */
import { randomBytes } from "node:crypto"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"
import { codeOf, ifFound } from "../files/FileFailure.ts"
import { makeFolders } from "../files/PrivateFile.ts"

const fileMode = 0o600
const folderMode = 0o700
const everybodyElse = 0o077
const form = /^[0-9a-f]{64}\n?$/

/** The key, or why there is none, as a clause. */
export type JournalKey = { readonly key: Uint8Array } | { readonly problem: string }

/** The file of the key; `locks` is a folder in the person's own state folder. */
export const journalKeyFile = Effect.fnUntraced(function* (locks: string) {
  const path = yield* Path.Path
  return path.join(path.dirname(locks), "journal.key")
})

/** The key in the file; nothing when there is no file. */
const readKey = Effect.fnUntraced(function* (
  file: string
): Effect.fn.Return<JournalKey | undefined, PlatformError, FileSystem.FileSystem> {
  const fs = yield* FileSystem.FileSystem
  /* Not through a link, and no file that never ends. */
  const info = yield* ifFound(fs.lstat(file))
  if (info === undefined) return undefined
  if (info.type !== "File" || Number(info.size) > 100) return { problem: "it is not a key. Remove it" }
  const uid = process.getuid?.()
  if (uid !== undefined && Option.getOrElse(info.uid, () => uid) !== uid) {
    return { problem: "it belongs to another user. Remove it" }
  }
  if (uid !== undefined && (info.mode & everybodyElse) !== 0) {
    return { problem: "others can read or write it. Remove it, so that a new one is made" }
  }
  const text = yield* fs.readFileString(file)
  return form.test(text) ? { key: Buffer.from(text.trim(), "hex") } : { problem: "it is not a key. Remove it" }
})

/** Makes the key, unless another process does at the same time; no process ever sees a part of one. */
const makeKey = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  yield* makeFolders(path.dirname(file), folderMode)
  const temporary = `${file}.${randomBytes(8).toString("hex")}.tmp`
  const handle = yield* fs.open(temporary, { flag: "wx", mode: fileMode })
  yield* Effect.addFinalizer(() => Effect.ignore(fs.remove(temporary, { force: true })))
  yield* handle.writeAll(new TextEncoder().encode(`${randomBytes(32).toString("hex")}\n`))
  yield* handle.sync
  yield* Effect.catchTag(fs.link(temporary, file), "PlatformError", (error) =>
    error.reason._tag === "AlreadyExists" ? Effect.void : Effect.fail(error)
  )
}, Effect.scoped)

/** The key of the person. A new one is made only for a journal that is about to be written. */
export const journalKey = Effect.fn("journalKey")(
  function* (
    file: string,
    use: "read" | "write"
  ): Effect.fn.Return<JournalKey, PlatformError, FileSystem.FileSystem | Path.Path> {
    const found = yield* readKey(file)
    if (found !== undefined) return found
    if (use === "read") return { problem: "it is not there" }
    yield* makeKey(file)
    return (yield* readKey(file)) ?? { problem: "it cannot be made" }
  },
  Effect.catchTag("PlatformError", (error) =>
    Effect.succeed<JournalKey>({ problem: `the system says ${codeOf(error)}` })
  )
)
