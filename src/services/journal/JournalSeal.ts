/**
 * Proves which records of a journal this person wrote. Each record carries a MAC with a key that only they have, over the
 * MAC of the record before and the text of its line, so that no record can be changed, added, left out, moved or taken
 * from another run. The checksums of lines prove none of this: everybody can compute them.
 */
import { createHash, createHmac, createSecretKey, type KeyObject, timingSafeEqual } from "node:crypto"
import type { JournalLine } from "./JournalLine.ts"

const macLength = 22

/** The key of the journal of one run, from the key of the person. */
export class SealKey {
  readonly #key: KeyObject

  constructor(key: Uint8Array, runId: string) {
    this.#key = createSecretKey(createHmac("sha256", key).update(`task-conductor journal ${runId}`).digest())
  }

  /** The MAC of a line without one; `before` is the MAC of the line before it, or where a session starts. */
  mac(before: string, line: string): string {
    return createHmac("sha256", this.#key)
      .update(before + line)
      .digest("base64url")
      .slice(0, macLength)
  }
}

const macStart = ',"mac":"'
/** The length of `,"mac":"..."}`. */
const tailLength = macStart.length + macLength + 2

/** The beginning of a line up to the end of its record, which the MAC is added to. */
export const seal = (key: SealKey, before: string, line: string): { readonly line: string; readonly mac: string } => {
  const mac = key.mac(before, line)
  return { line: `${line.slice(0, -1)}${macStart}${mac}"}`, mac }
}

/** The record without its MAC; `mac` is absent when it has none. */
const unsealed = (json: string): { readonly json: string; readonly mac?: string } => {
  const tail = json.slice(-tailLength)
  return tail.startsWith(macStart) && tail.endsWith('"}')
    ? { json: `${json.slice(0, -tailLength)}}`, mac: tail.slice(macStart.length, -2) }
    : { json }
}

const textOf = ({ at, seq }: JournalLine, json: string): string => `{"seq":${seq},"at":"${at}","record":${json}`

const isEqual = (a: string, b: string): boolean => {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/** What the MACs of a session continue from that cannot continue those before it: all lines before, whoever wrote them. */
const makeStarts = (lines: ReadonlyArray<JournalLine>) => {
  const hash = createHash("sha256")
  let done = 0
  return (count: number): string => {
    for (; done < count; done += 1) {
      const line = lines[done]
      if (line !== undefined) hash.update(`${textOf(line, line.json)},"sum":"${line.sum}"}\n`)
    }
    return `start ${hash.copy().digest("hex")}`
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
    const { json, mac } = unsealed(line.json)
    const text = textOf(line, json)
    const follows = (previous: string) => mac !== undefined && isEqual(key.mac(previous, text), mac)
    if (before !== undefined && follows(before)) {
      before = mac
    } else if (line.type === "resumed" && follows(starts(index))) {
      from = line.seq
      before = mac
    } else {
      from = line.seq + 1
      before = undefined
    }
  }
  return { from, next: before ?? starts(lines.length) }
}
