/**
 * Proves which records of a journal this person wrote. Each record carries a MAC with a key that only they have, over the
 * MAC of the record before and the text of its line, so that no record can be changed, added, left out, moved or taken
 * from another run. The checksums of lines prove none of this: everybody can compute them.
 */
import { createHash, createHmac, hash, timingSafeEqual } from "node:crypto"
import type { JournalLine } from "./JournalLine.ts"
import { SavedLine } from "./SavedLine.ts"

const macLength = 22
/** The sizes of a block and of a hash of SHA-256. */
const blockBytes = 64
const hashBytes = 32
const brace = 0x7d

/**
 * The key of the journal of one run, from the key of the person. The MAC is HMAC-SHA-256, put together from its two hashes:
 * for texts as short as lines this takes half the time of an object of `createHmac`.
 */
export class SealKey {
  /** The key for the inner hash, and behind it what is hashed. */
  readonly #inner: Buffer = Buffer.alloc(65_536)
  /** The key for the outer hash, and behind it the inner one. */
  readonly #outer: Buffer = Buffer.alloc(blockBytes + hashBytes)
  /** Where the MACs are that are compared. */
  readonly #made: Buffer = Buffer.alloc(macLength)
  readonly #given: Buffer = Buffer.alloc(macLength)

  constructor(key: Uint8Array, runId: string) {
    const own = Buffer.alloc(blockBytes)
    createHmac("sha256", key).update(`task-conductor journal ${runId}`).digest().copy(own)
    for (const [at, byte] of own.entries()) {
      this.#inner[at] = byte ^ 0x36
      this.#outer[at] = byte ^ 0x5c
    }
  }

  /**
   * The MAC of a line. `line` are its bytes up to the end of its record, without the brace there; `before` is the MAC of the
   * line before it, or where a session starts.
   */
  mac(before: string, line: Uint8Array): string {
    const start = blockBytes + before.length
    const size = start + line.length + 1
    const inner = size > this.#inner.length ? Buffer.concat([this.#inner.subarray(0, blockBytes)], size) : this.#inner
    inner.write(before, blockBytes, "latin1")
    inner.set(line, start)
    inner[size - 1] = brace
    this.#outer.write(hash("sha256", inner.subarray(0, size), "binary"), blockBytes, "latin1")
    return hash("sha256", this.#outer, "base64url").slice(0, macLength)
  }

  /** Whether a line has this MAC, of 22 characters. */
  proves(before: string, line: Uint8Array, mac: string): boolean {
    this.#made.write(this.mac(before, line), "latin1")
    this.#given.write(mac, "latin1")
    return timingSafeEqual(this.#made, this.#given)
  }
}

const macStart = ',"mac":"'

/** What stands in the place of the brace at the end of a record with this MAC. */
export const macField = (mac: string): string => `${macStart}${mac}"}`

const fieldLength = macField("").length + macLength

/** The line up to its MAC, and the MAC; nothing when it has none, as records in a database. */
const sealOf = (from: JournalLine): { readonly line: Uint8Array; readonly mac: string } | undefined => {
  if (!(from instanceof SavedLine)) return undefined
  const { signed } = from
  const field = signed.toString("latin1", signed.length - fieldLength)
  return field.startsWith(macStart) && field.endsWith('"}')
    ? { line: signed.subarray(0, -fieldLength), mac: field.slice(macStart.length, -2) }
    : undefined
}

/** What the MACs of a session continue from that cannot continue those before it: all lines before, whoever wrote them. */
const makeStarts = (lines: ReadonlyArray<JournalLine>) => {
  const sha256 = createHash("sha256")
  let done = 0
  return (count: number): string => {
    for (; done < count; done += 1) {
      const line = lines[done]
      if (line instanceof SavedLine) sha256.update(line.whole).update("\n")
    }
    return `start ${sha256.copy().digest("hex")}`
  }
}

/** What the MACs of a journal prove. */
export interface Proof {
  /** The number of the record from which on all were written by this person; one more than there are, when none was. */
  readonly from: number
  /** What the MAC of the next record continues from. */
  readonly next: string
}

/** The MACs of a new journal begin here. */
export const newProof: Proof = {
  from: 1,
  get next() {
    return makeStarts([])(0)
  }
}

/**
 * Which records at the end of a journal the holder of the key wrote, and that nothing came between them. The first of
 * them begins the run or a session of it, and is bound to everything before it.
 */
export const proofOf = (lines: ReadonlyArray<JournalLine>, key: SealKey): Proof => {
  const starts = makeStarts(lines)
  let from = 1
  let before: string | undefined = newProof.next
  for (const [index, line] of lines.entries()) {
    const sealed = sealOf(line)
    const follows = (previous: string) => sealed !== undefined && key.proves(previous, sealed.line, sealed.mac)
    if (before !== undefined && follows(before)) {
      before = sealed?.mac
    } else if (line.type === "resumed" && follows(starts(index))) {
      from = line.seq
      before = sealed?.mac
    } else {
      from = line.seq + 1
      before = undefined
    }
  }
  return { from, next: before ?? starts(lines.length) }
}
