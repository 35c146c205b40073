/**
 * The output of a command, bounded while the command writes: the beginning and the end, with the number of bytes that are
 * missing between them.
 */

const keptBytes = 32_768
/** The text as JSON stays below the limit for results of tools, whatever characters it holds. */
const maxJsonBytes = 196_608

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** The beginning as text, without a character that is cut at its end. */
const textOfHead = (bytes: Uint8Array): string => new TextDecoder().decode(bytes, { stream: true })

/** The end as text, without a character that is cut at its beginning. */
const textOfTail = (bytes: Uint8Array): string => {
  let start = 0
  while (start < 3 && isContinuation(bytes[start])) start += 1
  return new TextDecoder().decode(bytes.subarray(start))
}

const jsonBytes = (text: string): number => new TextEncoder().encode(JSON.stringify(text)).length

/** The output of one command; empty at first. */
export class CommandOutput {
  readonly #head = new Uint8Array(keptBytes)
  /** Holds at least the last `keptBytes`; twice as large, so that its content is rarely moved. */
  readonly #tail = new Uint8Array(keptBytes * 2)
  #tailBytes = 0
  #total = 0

  /** The number of bytes so far. */
  get bytes(): number {
    return this.#total
  }

  push(chunk: Uint8Array): void {
    const first = chunk.subarray(0, Math.max(0, keptBytes - this.#total))
    this.#head.set(first, Math.min(this.#total, keptBytes))
    this.#pushTail(chunk.subarray(first.length))
    this.#total += chunk.length
  }

  /** The kept bytes as text. */
  text(): string {
    let length = keptBytes
    while (jsonBytes(this.#shortened(length)) > maxJsonBytes) length /= 2
    return this.#shortened(length)
  }

  #pushTail(bytes: Uint8Array): void {
    const last = bytes.subarray(Math.max(0, bytes.length - keptBytes))
    if (this.#tailBytes + last.length > this.#tail.length) {
      this.#tail.copyWithin(0, this.#tailBytes - keptBytes, this.#tailBytes)
      this.#tailBytes = keptBytes
    }
    this.#tail.set(last, this.#tailBytes)
    this.#tailBytes += last.length
  }

  /** The text with at most `length` bytes of the beginning and of the end. */
  #shortened(length: number): string {
    const head = this.#head.subarray(0, this.#total)
    const tail = this.#tail.subarray(Math.max(0, this.#tailBytes - keptBytes), this.#tailBytes)
    const all = new Uint8Array(head.length + tail.length)
    all.set(head)
    all.set(tail, head.length)
    if (this.#total <= length * 2) return new TextDecoder().decode(all)
    const start = textOfHead(all.subarray(0, length))
    const end = textOfTail(all.subarray(all.length - length))
    return `${start}\n... (${this.#total - length * 2} bytes left out) ...\n${end}`
  }
}
