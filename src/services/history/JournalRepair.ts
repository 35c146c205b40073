/**
 * Repairs a damaged journal: the records before the first damaged line stay, and the rest is moved to a file beside the
 * journal, where a person can inspect it. What was done according to the rest is no longer known to the run.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Result from "effect/Result"
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
  /** The calls that changed something according to what was moved, as far as it can be read: `write_file /project/a.txt`. */
  readonly effects: ReadonlyArray<string>
}

/** An intent, in a line that may be damaged elsewhere. */
const intent = /"record":\{"type":"intent",[^\n]*?"call":\{[^\n]*?"name":"([a-z0-9_]{1,64})"/
/** The name of a call stands at its beginning. */
const mostRead = 100_000
const targetsOf = /"targets":(\[(?:"(?:[^"\\]|\\.)*",?)*\]),"files":/

const effectsIn = (rest: Uint8Array): ReadonlyArray<string> =>
  Buffer.from(rest)
    .toString("utf8")
    .split("\n")
    .flatMap((line) => {
      const name = intent.exec(line.slice(0, mostRead))?.[1]
      if (name === undefined) return []
      const json = targetsOf.exec(line)?.[1] ?? "[]"
      const targets = Result.getOrElse(
        Result.try(() => JSON.parse(json) as ReadonlyArray<string>),
        () => []
      )
      return [[name, ...targets].join(" ")]
    })

const cutOff = Effect.fnUntraced(function* (path: string, { intact, rest, size }: JournalRest) {
  const aside = yield* quarantine(`${path}.damaged-${intact + 1}`, rest)
  const handle = yield* (yield* FileSystem.FileSystem).open(path, { flag: "r+" })
  yield* handle.truncate(size)
  yield* handle.sync
  return { intact, bytes: rest.length, aside, effects: effectsIn(rest) } satisfies Repaired
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
