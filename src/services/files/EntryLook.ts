/** Describes the entry at a path without following links, and lists the content of a folder. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as path from "node:path"
import type { FileEntry } from "../../domain/files/FileEntry.ts"
import { compareCodePoints } from "../../domain/text/CodePointOrder.ts"
import { fileFailure, ifFound } from "./FileFailure.ts"
import { contentState } from "./Hash.ts"

const kinds: Partial<Record<FileSystem.File.Type, FileEntry["is"]>> = {
  File: "file",
  Directory: "folder",
  SymbolicLink: "link"
}

/** The entry at a canonical path; undefined if there is none. */
export const lookAt = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* ifFound(fs.lstat(file))
  if (info === undefined) return undefined
  const entry: FileEntry = {
    path: file,
    is: kinds[info.type] ?? "other",
    state: yield* contentState(file),
    size: info.type === "File" ? Number(info.size) : 0,
    isText: false,
    ...(info.type === "SymbolicLink" ? { leads: yield* Effect.orElseSucceed(fs.readLink(file), () => "") } : {})
  }
  return entry
})

/**
 * Lists the files, links and empty folders below a folder, sorted, at most `most + 1`. Includes ignored files, and
 * follows no links.
 */
export const filesBelow = Effect.fn("filesBelow")(
  function* (folder: string, most: number) {
    const fs = yield* FileSystem.FileSystem
    const files: Array<string> = []
    const folders = [folder]
    for (const at of folders) {
      const entries = yield* fs.readDirectoryEntries(at)
      if (entries.length === 0 && at !== folder) files.push(at)
      for (const { name, type } of entries) (type === "Directory" ? folders : files).push(path.join(at, name))
      if (files.length > most) break
    }
    return files.sort(compareCodePoints).slice(0, most + 1)
  },
  (effect, folder) => Effect.mapError(effect, fileFailure("list", folder))
)
