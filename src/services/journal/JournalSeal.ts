/**
 * Proves which records of a journal this user wrote. Each record has a MAC over the previous MAC and the text of its
 * line. Only the user has the key, so nobody else can change, add, remove, move or copy a record. Checksums prove
 * nothing, because anybody can compute them.
 *
 * The key lies in a file that nobody else can read. It is created on first use and never leaves this machine.
 */
import { createHash, createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from "node:crypto"
import type { JournalLine } from "./JournalLine.ts"
import { codeOf, ifFound } from "../files/FileFailure.ts"
import { flushFolder, makeFolders } from "../files/PrivateFile.ts"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import type { PlatformError } from "effect/PlatformError"

const fileMode = 0o600
const folderMode = 0o700
const everybodyElse = 0o077
const keyForm = /^[0-9a-f]{64}\n?$/

/** The key, or why there is none, as a clause. */
export type JournalKey = { readonly key: Uint8Array } | { readonly problem: string }

/** The path of the key file, which is beside the folder `locks`. */
export const journalKeyFile = Effect.fnUntraced(function* (locks: string) {
  const path = yield* Path.Path
  return path.join(path.dirname(locks), "journal.key")
})

/** The key; undefined if the file does not exist. */
const readKey = Effect.fnUntraced(function* (
  file: string
): Effect.fn.Return<JournalKey | undefined, PlatformError, FileSystem.FileSystem> {
  const fs = yield* FileSystem.FileSystem
  /** Does not follow links, and reads only a regular file, because reading others may never end. */
  const info = yield* ifFound(fs.lstat(file))
  if (info === undefined) return undefined
  if (info.type !== "File" || Number(info.size) > 100) return { problem: "it is not a key. Remove it" }
  const uid = process.getuid?.()
  if (uid !== undefined && Option.getOrElse(info.uid, () => uid) !== uid) {
    return { problem: "it belongs to another user. Remove it" }
  }
  if (uid !== undefined && (info.mode & everybodyElse) !== 0) {
    return { problem: "others can read or write it. Remove it, so that a new one is made" }
  }
  const text = yield* fs.readFileString(file)
  return keyForm.test(text) ? { key: Buffer.from(text.trim(), "hex") } : { problem: "it is not a key. Remove it" }
})

/** Creates the key, unless another process just has. The file appears in one step, so no process sees a part of it. */
const makeKey = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  yield* makeFolders(path.dirname(file), folderMode)
  const temporary = `${file}.${randomBytes(8).toString("hex")}.tmp`
  const handle = yield* fs.open(temporary, { flag: "wx", mode: fileMode })
  yield* Effect.addFinalizer(() => Effect.ignore(fs.remove(temporary, { force: true })))
  yield* handle.writeAll(new TextEncoder().encode(`${randomBytes(32).toString("hex")}\n`))
  yield* handle.sync
  yield* Effect.catchTag(fs.link(temporary, file), "PlatformError", (error) =>
    error.reason._tag === "AlreadyExists" ? Effect.void : Effect.fail(error)
  )
  yield* flushFolder(path.dirname(file))
}, Effect.scoped)

/** The user's key, created only if a journal will be written. */
export const journalKey = Effect.fn("journalKey")(
  function* (
    file: string,
    use: "read" | "write"
  ): Effect.fn.Return<JournalKey, PlatformError, FileSystem.FileSystem | Path.Path> {
    const found = yield* readKey(file)
    if (found !== undefined) return found
    if (use === "read") return { problem: "it is not there" }
    yield* makeKey(file)
    return (yield* readKey(file)) ?? { problem: "it cannot be made" }
  },
  Effect.catchTag("PlatformError", (error) =>
    Effect.succeed<JournalKey>({ problem: `the system says ${codeOf(error)}` })
  )
)

const macLength = 22

/** The key for the journal of one run, derived from the user's key. */
export class SealKey {
  readonly #key: KeyObject

  constructor(key: Uint8Array, runId: string) {
    this.#key = createSecretKey(createHmac("sha256", key).update(`task-conductor journal ${runId}`).digest())
  }

  /**
   * The MAC of a line up to the end of its record. `before` is the MAC of the previous line, or the start value of a
   * session.
   */
  mac(before: string, line: string): string {
    return createHmac("sha256", this.#key).update(before).update(line).digest("base64url").slice(0, macLength)
  }

  proves(before: string, { line, mac }: SealedLine): boolean {
    return timingSafeEqual(Buffer.from(this.mac(before, line)), Buffer.from(mac))
  }
}

/** The text of a line up to the end of its record, and its MAC. */
interface SealedLine {
  readonly line: string
  readonly mac: string
}

const sealedForm = /^(.*),"mac":"([\w-]{22})"\},"sum":"[0-9a-f]{8}"\}$/s

/** Splits a line into text and MAC. Undefined for a line without one, such as a record in a database. */
const sealOf = ({ text }: JournalLine): SealedLine | undefined => {
  const [, line, mac = ""] = sealedForm.exec(text) ?? []
  return line === undefined ? undefined : { line: `${line}}`, mac }
}

/** Which records of a journal the MACs prove. */
export interface Proof {
  /**
   * The number of the first proven record: this user wrote it and all later records. If no record is proven, the number
   * after the last record.
   */
  readonly from: number
  /** The MAC from which the MAC of the next record is computed. */
  readonly next: string
}

/**
 * Finds the longest last part of a journal in which the owner of the key wrote every record. The part begins with the
 * first record or a resumed session. The reason is that the first MAC of a session covers all earlier lines.
 */
export const proofOf = (lines: ReadonlyArray<JournalLine>, key: SealKey): Proof => {
  const all = createHash("sha256")
  /**
   * The start value of a session that cannot continue the MACs before it: a hash of all earlier lines, whoever wrote
   * them.
   */
  const start = (): string => `start ${all.copy().digest("hex")}`
  let from = 1
  let before: string | undefined = start()
  for (const line of lines) {
    const sealed = sealOf(line)
    if (sealed !== undefined && before !== undefined && key.proves(before, sealed)) {
      before = sealed.mac
    } else if (sealed !== undefined && line.type === "resumed" && key.proves(start(), sealed)) {
      from = line.seq
      before = sealed.mac
    } else {
      from = line.seq + 1
      before = undefined
    }
    all.update(line.text).update("\n")
  }
  return { from, next: before ?? start() }
}

/** The start value for the MACs of a new journal. */
export const newProof: Proof = { from: 1, next: `start ${createHash("sha256").digest("hex")}` }
