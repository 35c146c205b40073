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

const joined = (a: Uint8Array, b: Uint8Array) => {
  const all = new Uint8Array(a.length + b.length)
  all.set(a)
  all.set(b, a.length)
  return all
}

const jsonBytes = (text: string): number => new TextEncoder().encode(JSON.stringify(text)).length

/** The output of one command; empty at first. */
export class CommandOutput {
  #head = new Uint8Array()
  /** The last `keptBytes` of what follows. */
  #tail = new Uint8Array()
  #total = 0

  /** The number of bytes so far. */
  get bytes(): number {
    return this.#total
  }

  push(chunk: Uint8Array): void {
    const first = chunk.subarray(0, keptBytes - this.#head.length)
    this.#head = joined(this.#head, first)
    this.#tail = joined(this.#tail, chunk.subarray(first.length)).slice(-keptBytes)
    this.#total += chunk.length
  }

  /** The kept bytes as text. */
  text(): string {
    let length = keptBytes
    while (jsonBytes(this.#shortened(length)) > maxJsonBytes) length /= 2
    return this.#shortened(length)
  }

  /** The text with at most `length` bytes of the beginning and of the end. */
  #shortened(length: number): string {
    const all = joined(this.#head, this.#tail)
    if (this.#total <= length * 2) return new TextDecoder().decode(all)
    const start = textOfHead(all.subarray(0, length))
    const end = textOfTail(all.subarray(all.length - length))
    return `${start}\n... (${this.#total - length * 2} bytes left out) ...\n${end}`
  }
}
