/**
 * Makes the bytes of lines, one behind another. A record becomes text once and bytes once; its MAC and the sum of its line
 * are taken from these bytes.
 */
import * as Schema from "effect/Schema"
import { JournalRecord } from "../../domain/history/JournalRecord.ts"
import { sumOf } from "./JournalLine.ts"
import { macField, type SealKey } from "./JournalSeal.ts"

/** What the next line continues: number, sum and MAC of the last one. */
export interface LineEnd {
  readonly seq: number
  readonly sum: string
  readonly mac: string
}

export interface LineProtection {
  /** Writes a record as JSON without its secrets. */
  readonly write?: (record: Schema.Json) => string
  /** Proves who wrote it. */
  readonly key?: SealKey | undefined
}

const encodeRecord = Schema.encodeSync(JournalRecord)

/** Most lines that are written together fit into this many bytes. */
const usualBytes = 65_536
/** A larger buffer is not kept for what comes next. */
const mostKeptBytes = 1_048_576
/** What follows a record in its line takes no more bytes: MAC, sum and what names them. */
const mostLineEnd = 512
/** No character takes more bytes. */
const mostBytesPerCharacter = 3

export class LineBytes {
  #bytes = Buffer.allocUnsafe(usualBytes)
  #size = 0
  #end: LineEnd
  readonly #write: (record: Schema.Json) => string
  readonly #key: SealKey | undefined

  constructor(end: LineEnd, { key, write = JSON.stringify }: LineProtection = {}) {
    this.#end = end
    this.#write = write
    this.#key = key
  }

  get end(): LineEnd {
    return this.#end
  }

  #put(text: string): void {
    if (this.#size + mostBytesPerCharacter * text.length > this.#bytes.length) {
      this.#makeRoom(this.#size + Buffer.byteLength(text) + mostLineEnd)
    }
    this.#size += this.#bytes.write(text, this.#size)
  }

  #makeRoom(needed: number): void {
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#bytes.length))
    this.#bytes.copy(larger, 0, 0, this.#size)
    this.#bytes = larger
  }

  /** Adds the line of a record. */
  add(record: JournalRecord, at: string): void {
    const start = this.#size
    const { mac: before, seq: last, sum: sumBefore } = this.#end
    const seq = last + 1
    this.#put(`{"seq":${seq},"at":"${at}","record":`)
    this.#put(this.#write(encodeRecord(record)))
    const mac = this.#key?.mac(before, this.#bytes.subarray(start, this.#size - 1)) ?? before
    if (this.#key !== undefined) {
      this.#size -= 1
      this.#put(macField(mac))
    }
    const sum = sumOf(sumBefore, this.#bytes.subarray(start, this.#size))
    this.#put(`,"sum":"${sum}"}\n`)
    this.#end = { seq, sum, mac }
  }

  /** Takes what was added; it is there until something is added again. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#size)
    this.#size = 0
    if (this.#bytes.length > mostKeptBytes) this.#bytes = Buffer.allocUnsafe(usualBytes)
    return taken
  }
}
