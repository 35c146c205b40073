/**
 * Cuts off what a journal holds behind its intact lines: a last line that a crash left incomplete, or, when a person asks
 * for it, everything from the first damaged line on. What is cut off is first saved to a file beside the journal, where a
 * person can inspect it. A file that is already there is never overwritten.
 */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import { codeOf, ifFound } from "../files/FileFailure.ts"
import { JournalError } from "./JournalError.ts"
import { type JournalContent, readIntact } from "./JournalReader.ts"

const fileMode = 0o600

/** Flushes what was created in the folder of a file. */
export const syncFolder = Effect.fnUntraced(function* (file: string) {
  const folder = (yield* Path.Path).dirname(file)
  const handle = yield* (yield* FileSystem.FileSystem).open(folder)
  yield* handle.sync
}, Effect.scoped)

/**
 * Returns the path of the file with the bytes: `file`, or `file-2` and so on if a file has other bytes already. A file
 * with the same bytes comes from a process that died before it cut them off.
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

/** Leaves this many bytes of a journal, and saves the bytes behind them to a file; returns its path. */
const cutOff = Effect.fnUntraced(function* (journal: string, size: number, rest: Uint8Array, file: string) {
  const quarantined = yield* quarantine(file, rest)
  const handle = yield* (yield* FileSystem.FileSystem).open(journal, { flag: "r+" })
  yield* handle.truncate(size)
  yield* handle.sync
  return quarantined
}, Effect.scoped)

/** Cuts off what a crash left behind the last whole line. */
export const cutOffTorn = (path: string, { lines, size, torn }: JournalContent) =>
  torn.length === 0 ? Effect.void : cutOff(path, size, torn, `${path}.torn-${lines.length + 1}`)

export interface Repaired {
  /** The number of records that stay. */
  readonly intact: number
  /** The number of bytes that were moved, and the path of their file. */
  readonly bytes: number
  readonly quarantine: string
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

/**
 * Moves everything from the first damaged line on to a file; returns nothing when the journal is intact. What was done
 * according to it is no longer known to the run. Fails when even the first record is damaged.
 */
export const repairJournal = Effect.fn("repairJournal")(
  function* (path: string) {
    const { intact, rest, size } = yield* readIntact(path)
    if (rest.length === 0) return undefined
    const file = yield* cutOff(path, size, rest, `${path}.damaged-${intact + 1}`)
    return { intact, bytes: rest.length, quarantine: file, effects: effectsIn(rest) } satisfies Repaired
  },
  (repaired, path) =>
    Effect.catchTag(repaired, "PlatformError", (error) =>
      Effect.fail(new JournalError({ path, reason: { _tag: "Unreadable", code: codeOf(error) } }))
    )
)
