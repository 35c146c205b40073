/**
 * What a write leaves behind that was killed in the middle: a temporary file beside its target. The name says which write
 * made it, so that who goes on with the run removes that file and no other. Called by the atomic write, and when a run
 * goes on.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type { FileState } from "../../domain/history/JournalRecord.ts"
import { hashOf } from "./Hash.ts"
import { openDirectory } from "./DirectoryHandle.ts"

/** One write: the canonical path of its target, and the hash of the text that is to stand there. */
type Write = Pick<FileState, "path" | "after">

const beginningOf = ({ after, path }: Write): string => `.task-conductor-${hashOf([path, after]).slice(0, 16)}-`

/** The name of the temporary file of a write; `suffix` sets it apart from the same write by somebody else. */
export const temporaryName = (write: Write, suffix: string): string => `${beginningOf(write)}${suffix}.tmp`

/** Removes what a write left beside its target, when it is a file; whatever is in the way, the run goes on. */
const removeLeftover = Effect.fnUntraced(function* (write: Write) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = yield* openDirectory(path.dirname(write.path))
  const names = yield* fs.readDirectory(folder.path)
  for (const name of names) {
    if (!name.startsWith(beginningOf(write)) || !name.endsWith(".tmp")) continue
    const file = path.join(folder.path, name)
    if ((yield* fs.lstat(file)).type === "File") yield* fs.remove(file)
  }
}, Effect.scoped)

/** Removes what these writes left behind. None of them may still be going on. */
export const removeLeftovers = Effect.fn("removeLeftovers")((writes: ReadonlyArray<Write>) =>
  Effect.forEach(writes, (write) => Effect.ignore(removeLeftover(write)), { discard: true })
)
