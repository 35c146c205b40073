/**
 * Shortens a journal to its intact lines, for example after a crash left a partial line. First saves the removed bytes
 * in a file beside the journal. Never overwrites a file.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import { ifFound } from "../files/FileFailure.ts"
import type { JournalContent } from "./JournalReader.ts"

const fileMode = 0o600

/** Flushes the folder of a new file to disk. */
export const syncFolder = Effect.fnUntraced(function* (file: string) {
  const folder = (yield* Path.Path).dirname(file)
  const handle = yield* (yield* FileSystem.FileSystem).open(folder)
  yield* handle.sync
}, Effect.scoped)

/**
 * Saves these bytes and returns the path. If `file` exists with other bytes, uses `file-2`, and so on. A file with the
 * same bytes comes from a process that died before it shortened the journal.
 */
const quarantine = Effect.fnUntraced(function* (file: string, bytes: Uint8Array) {
  const fs = yield* FileSystem.FileSystem
  for (let count = 1; ; count += 1) {
    const path = count === 1 ? file : `${file}-${count}`
    const there = yield* ifFound(fs.lstat(path))
    if (there !== undefined) {
      const mayBeSame = there.type === "File" && Number(there.size) === bytes.length
      if (mayBeSame && Buffer.compare(yield* fs.readFile(path), bytes) === 0) return path
      continue
    }
    const handle = yield* fs.open(path, { flag: "wx", mode: fileMode })
    yield* handle.writeAll(bytes)
    yield* handle.sync
    yield* syncFolder(path)
    return path
  }
}, Effect.scoped)

/** Keeps the first `size` bytes of a journal, and saves the other bytes to a file. Returns the path of this file. */
export const cutOff = Effect.fnUntraced(function* (journal: string, size: number, rest: Uint8Array, file: string) {
  const quarantined = yield* quarantine(file, rest)
  const handle = yield* (yield* FileSystem.FileSystem).open(journal, { flag: "r+" })
  yield* handle.truncate(size)
  yield* handle.sync
  return quarantined
}, Effect.scoped)

/** Removes a partial line that a crash left at the end. */
export const cutOffTorn = (path: string, { lines, size, torn }: JournalContent) =>
  torn.length === 0 ? Effect.void : cutOff(path, size, torn, `${path}.torn-${lines.length + 1}`)
