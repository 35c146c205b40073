/**
 * Repairs a damaged journal: the records before the first damaged line stay, and the rest is moved to a file beside the
 * journal, where a person can inspect it.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { JournalError } from "../journal/JournalError.ts"
import { type JournalRest, readSound } from "../journal/JournalReader.ts"
import { quarantine } from "../journal/Quarantine.ts"
import { codeOf } from "../files/FileFailure.ts"

export interface Repaired {
  /** The number of records that stay. */
  readonly intact: number
  /** The number of bytes that were moved, and the path of their file. */
  readonly bytes: number
  readonly aside: string
}

const cutOff = Effect.fnUntraced(function* (path: string, { intact, rest, size }: JournalRest) {
  const aside = yield* quarantine(`${path}.damaged-${intact + 1}`, rest)
  const handle = yield* (yield* FileSystem.FileSystem).open(path, { flag: "r+" })
  yield* handle.truncate(size)
  yield* handle.sync
  return { intact, bytes: rest.length, aside } satisfies Repaired
}, Effect.scoped)

/** Repairs the journal; returns nothing when it is intact. Fails when even its first record is damaged. */
export const repairJournal = Effect.fn("repairJournal")((path: string) =>
  Effect.flatMap(readSound(path), (found) =>
    found.rest.length === 0 ? Effect.succeed(undefined) : cutOff(path, found)
  ).pipe(
    Effect.catchTag("PlatformError", (error) =>
      Effect.fail(new JournalError({ path, reason: { _tag: "Unreadable", code: codeOf(error) } }))
    )
  )
)
