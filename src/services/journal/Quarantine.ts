/**
 * Saves bytes that are cut off a journal to a file beside it, where a person can inspect them. A file that is already
 * there is never overwritten.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { ifFound } from "../files/FileFailure.ts"

const fileMode = 0o600

/** Flushes what was created in the folder of a file. */
export const syncFolder = Effect.fnUntraced(function* (file: string) {
  const folder = (yield* Path.Path).dirname(file)
  const handle = yield* (yield* FileSystem.FileSystem).open(folder)
  yield* handle.sync
}, Effect.scoped)

const isSame = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0

/**
 * Returns the path of the file with the bytes: `file`, or `file-2` and so on if a file has other bytes already. A file
 * with the same bytes comes from a process that died before it cut them off.
 */
export const quarantine = Effect.fnUntraced(function* (file: string, bytes: Uint8Array) {
  const fs = yield* FileSystem.FileSystem
  for (let count = 1; ; count += 1) {
    const aside = count === 1 ? file : `${file}-${count}`
    const there = yield* ifFound(fs.lstat(aside))
    if (there !== undefined) {
      const mayBeSame = there.type === "File" && Number(there.size) === bytes.length
      if (mayBeSame && isSame(yield* fs.readFile(aside), bytes)) return aside
      continue
    }
    const handle = yield* fs.open(aside, { flag: "wx", mode: fileMode })
    yield* handle.writeAll(bytes)
    yield* handle.sync
    yield* syncFolder(aside)
    return aside
  }
}, Effect.scoped)
