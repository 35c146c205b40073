/**
 * The output of a command, bounded while the command writes: the beginning and the end, with the number of bytes that are
 * missing between them.
 */

export interface CommandOutput {
  /** The number of bytes so far. */
  readonly bytes: () => number
  readonly push: (chunk: Uint8Array) => void
  /** The kept bytes as text. */
  readonly text: () => string
}

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

/** An empty output. */
export const makeCommandOutput = (): CommandOutput => {
  const head = new Uint8Array(keptBytes)
  /** Holds at least the last `keptBytes`; twice as large, so that its content is rarely moved. */
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

  /** The kept bytes, in order. */
  const kept = (): Uint8Array => {
    const start = head.subarray(0, total)
    const end = tail.subarray(Math.max(0, tailBytes - keptBytes), tailBytes)
    const all = new Uint8Array(start.length + end.length)
    all.set(start)
    all.set(end, start.length)
    return all
  }

  /** The text with at most `length` bytes of the beginning and of the end. */
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
