/**
 * What a command wrote, kept within bounds while it goes on writing: the beginning and the end, with the number of bytes
 * that are missing between them. Held by the code that runs commands.
 */

export interface CommandOutput {
  /** All bytes that came so far. */
  readonly bytes: () => number
  readonly push: (chunk: Uint8Array) => void
  /** What is kept, as text. */
  readonly text: () => string
}

const keptBytes = 32_768
/** The text as JSON stays below the cap for results of tools, whatever characters it holds. */
const maxJsonBytes = 196_608

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

/** The beginning as text; a character that was cut at its end is left out. */
const textOfHead = (bytes: Uint8Array): string => new TextDecoder().decode(bytes, { stream: true })

/** The end as text; a character that was cut at its beginning is left out. */
const textOfTail = (bytes: Uint8Array): string => {
  let start = 0
  while (start < 3 && isContinuation(bytes[start])) start += 1
  return new TextDecoder().decode(bytes.subarray(start))
}

const jsonBytes = (text: string): number => new TextEncoder().encode(JSON.stringify(text)).length

/** Nothing written yet. */
export const makeCommandOutput = (): CommandOutput => {
  const head = new Uint8Array(keptBytes)
  /** Holds at least the last bytes after the head; twice as large, so that it is moved only now and then. */
  const tail = new Uint8Array(keptBytes * 2)
  let tailBytes = 0
  let total = 0

  const pushTail = (bytes: Uint8Array): void => {
    const last = bytes.subarray(Math.max(0, bytes.length - keptBytes))
    if (tailBytes + last.length > tail.length) {
      tail.copyWithin(0, tailBytes - keptBytes, tailBytes)
      tailBytes = keptBytes
    }
    tail.set(last, tailBytes)
    tailBytes += last.length
  }

  const push = (chunk: Uint8Array): void => {
    const first = chunk.subarray(0, Math.max(0, keptBytes - total))
    head.set(first, Math.min(total, keptBytes))
    pushTail(chunk.subarray(first.length))
    total += chunk.length
  }

  /** What is kept, in order. */
  const kept = (): Uint8Array => {
    const start = head.subarray(0, total)
    const end = tail.subarray(Math.max(0, tailBytes - keptBytes), tailBytes)
    const all = new Uint8Array(start.length + end.length)
    all.set(start)
    all.set(end, start.length)
    return all
  }

  /** The text with at most this much of the beginning and of the end. */
  const shortened = (length: number): string => {
    const all = kept()
    if (total <= length * 2) return new TextDecoder().decode(all)
    const start = textOfHead(all.subarray(0, length))
    const end = textOfTail(all.subarray(all.length - length))
    return `${start}\n... (${total - length * 2} bytes left out) ...\n${end}`
  }

  const text = (): string => {
    let length = keptBytes
    while (jsonBytes(shortened(length)) > maxJsonBytes) length /= 2
    return shortened(length)
  }

  return { bytes: () => total, push, text }
}
