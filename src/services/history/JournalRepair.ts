/**
 * Sets aside what is damaged in a journal: the records before the first damaged line stay, everything after it goes to
 * a file beside, where a person can look at it.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { JournalError } from "../journal/JournalError.ts"
import { type JournalRest, readSound } from "../journal/JournalReader.ts"
import { quarantine } from "../journal/Quarantine.ts"
import { codeOf } from "../files/FileFailure.ts"

export interface Repaired {
  /** How many records stay. */
  readonly kept: number
  /** How many bytes were set aside, and where. */
  readonly bytes: number
  readonly aside: string
}

const cutOff = Effect.fnUntraced(function* (path: string, { kept, rest, size }: JournalRest) {
  const aside = yield* quarantine(`${path}.damaged-${kept + 1}`, rest)
  const handle = yield* (yield* FileSystem.FileSystem).open(path, { flag: "r+" })
  yield* handle.truncate(size)
  yield* handle.sync
  return { kept, bytes: rest.length, aside } satisfies Repaired
}, Effect.scoped)

/** Repairs the journal; nothing when it holds together. Fails when not even its beginning does. */
export const repairJournal = Effect.fn("repairJournal")((path: string) =>
  Effect.flatMap(readSound(path), (found) =>
    found.rest.length === 0 ? Effect.succeed(undefined) : cutOff(path, found)
  ).pipe(
    Effect.catchTag("PlatformError", (error) =>
      Effect.fail(new JournalError({ path, reason: { _tag: "Unreadable", code: codeOf(error) } }))
    )
  )
)
