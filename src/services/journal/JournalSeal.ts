/**
 * Proves which records of a journal this person wrote. Each record carries a MAC with a key that only they have, over the
 * MAC of the record before and the text of its line, so that no record can be changed, added, left out, moved or taken
 * from another run. The checksums of lines prove none of this: everybody can compute them.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import type { JournalLine } from "./JournalLine.ts"

const macLength = 22

/** The key of the journal of one run, from the key of the person. */
export class SealKey {
  readonly #key: Buffer

  constructor(key: Uint8Array, runId: string) {
    this.#key = createHmac("sha256", key).update(`task-conductor journal ${runId}`).digest()
  }

  /** The MAC of a line up to the end of its record. `before` is that of the line before, or where a session starts. */
  mac(before: string, line: string): string {
    return createHmac("sha256", this.#key).update(before).update(line).digest("base64url").slice(0, macLength)
  }

  /** Whether a line has this MAC. */
  proves(before: string, { line, mac }: SealedLine): boolean {
    return timingSafeEqual(Buffer.from(this.mac(before, line)), Buffer.from(mac))
  }
}

/** A line up to the end of its record, without its MAC, and the MAC. */
interface SealedLine {
  readonly line: string
  readonly mac: string
}

const form = /^(.*),"mac":"([\w-]{22})"\},"sum":"[0-9a-f]{8}"\}$/s

/** Nothing for a line without a MAC, as records in a database. */
const sealOf = ({ text }: JournalLine): SealedLine | undefined => {
  const [, line, mac = ""] = form.exec(text) ?? []
  return line === undefined ? undefined : { line: `${line}}`, mac }
}

/** What the MACs of a journal prove. */
export interface Proof {
  /** The number of the record from which on all were written by this person; one more than there are, when none was. */
  readonly from: number
  /** What the MAC of the next record continues from. */
  readonly next: string
}

/**
 * Which records at the end of a journal the holder of the key wrote, and that nothing came between them. The first of
 * them begins the run or a session of it, and is bound to everything before it.
 */
export const proofOf = (lines: ReadonlyArray<JournalLine>, key: SealKey): Proof => {
  const all = createHash("sha256")
  /* What the MACs of a session continue from that cannot continue those before it: all lines before, whoever wrote them. */
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

/** The MACs of a new journal begin here. */
export const newProof: Proof = { from: 1, next: `start ${createHash("sha256").digest("hex")}` }
