/**
 * Stores images and files that tools return. They are in a folder of the run or the conversation, which only the user
 * can read.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as path from "node:path"
import type { PlatformError } from "effect/PlatformError"
import type { ResultFile } from "../../domain/tools/ToolOutput.ts"
import { textHash } from "./Hash.ts"
import { writePrivateFile } from "./PrivateFile.ts"

/** A file to store. Its name has no folders. */
type NewFile = Pick<ResultFile, "hash" | "name">

export interface KeptFiles {
  /** Stores the bytes. Returns the path relative to the journal, or undefined for files in memory. */
  readonly keep: (file: NewFile, bytes: Uint8Array) => Effect.Effect<string | undefined, PlatformError>
  /** The bytes of a stored file; undefined if they are gone or damaged. */
  readonly read: (file: NewFile) => Effect.Effect<Uint8Array | undefined>
}

/** How many characters of the hash a file name contains. The hash keeps files of the same name apart. */
const shownHash = 12

const folderName = "files"

const pathOf = ({ hash, name }: NewFile): string => path.join(folderName, `${hash.slice(0, shownHash)}-${name}`)

/** Stores files below `folder`. The folder is created together with the first file. */
export const filesIn = (folder: string): Effect.Effect<KeptFiles, never, FileSystem.FileSystem> =>
  Effect.map(FileSystem.FileSystem, (fs) => {
    return {
      keep: (file, bytes) => {
        const place = path.join(folder, pathOf(file))
        const write = Effect.provideService(writePrivateFile(place, bytes), FileSystem.FileSystem, fs)
        return Effect.as(
          Effect.flatMap(fs.exists(place), (isKept) => (isKept ? Effect.void : write)),
          pathOf(file)
        )
      },
      read: (file) =>
        fs.readFile(path.join(folder, pathOf(file))).pipe(
          Effect.map((bytes) => (textHash(bytes) === file.hash ? bytes : undefined)),
          Effect.orElseSucceed(() => undefined)
        )
    }
  })

/** Stores files for the lifetime of the process. */
export const filesInMemory = Effect.sync((): KeptFiles => {
  const all = new Map<string, Uint8Array>()
  return {
    keep: ({ hash }, bytes) => Effect.sync(() => void all.set(hash, bytes)),
    read: ({ hash }) => Effect.sync(() => all.get(hash))
  }
})

/** The stored files of the current run. The default stores nothing. */
export const KeptFiles = Context.Reference<KeptFiles>("task-conductor/services/files/KeptFiles", {
  defaultValue: () => ({ keep: () => Effect.undefined, read: () => Effect.undefined })
})
