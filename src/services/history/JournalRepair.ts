/**
 * Repairs a damaged journal if the user asks for it. Moves the first damaged line and all lines after it to another
 * file.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { codeOf } from "../files/FileFailure.ts"
import { cutOff } from "../journal/JournalEnd.ts"
import { JournalError } from "../journal/JournalError.ts"
import { readIntact } from "../journal/JournalReader.ts"

/** Matches an intent record. It also matches if other parts of the line are damaged. */
const intent = /"record":\{"type":"intent",[^\n]*?"call":\{[^\n]*?"name":"([a-z0-9_]{1,64})"/
/** How many characters of a line are searched for the name of its call. */
const mostRead = 100_000
const targetsOf = /"targets":(\[(?:"(?:[^"\\]|\\.)*",?)*\]),"files":/

/**
 * The calls with effects that the removed part recorded, such as `write_file /project/a.txt`. Unreadable records are
 * skipped.
 */
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

/**
 * Moves the first damaged line and all lines after it to another file. The run then no longer knows what these lines
 * recorded. Returns undefined for an intact journal. Fails if the first record is damaged.
 */
export const repairJournal = Effect.fn("repairJournal")(
  function* (path: string) {
    const { intact, rest, size } = yield* readIntact(path)
    if (rest.length === 0) return undefined
    const file = yield* cutOff(path, size, rest, `${path}.damaged-${intact + 1}`)
    return { intact, bytes: rest.length, quarantine: file, effects: effectsIn(rest) }
  },
  (repaired, path) =>
    Effect.catchTag(repaired, "PlatformError", (error) =>
      Effect.fail(new JournalError({ path, reason: { _tag: "Unreadable", code: codeOf(error) } }))
    )
)
