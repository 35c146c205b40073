/**
 * Reads messages from a server's stdout, one a line. Other lines, such as greetings or logs, are dropped and counted.
 */
import * as Stream from "effect/Stream"
import * as Predicate from "effect/Predicate"

/** The dropped lines. */
export interface StrayLines {
  count: number
  /** The beginning of the first dropped line. */
  first: string
}

const shownLength = 120

/** Matches the beginning of a message after other text. */
const messageStart = /\{\s*"(?:jsonrpc|id|method|result|error)"\s*:/

const isMessage = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value)
      ? value.every((one) => Predicate.hasProperty(one, "jsonrpc"))
      : Predicate.hasProperty(value, "jsonrpc")
  } catch {
    return false
  }
}

/** The message in a line. Undefined if there is none. The form of the message is checked later. */
const messageIn = (line: string): string | undefined => {
  const text = line.trim().replace(/^\uFEFF/, "")
  if (/^\{\s*"jsonrpc"\s*:/.test(text) || isMessage(text)) return text
  const at = text.search(messageStart)
  const rest = at > 0 ? text.slice(at) : ""
  return rest !== "" && isMessage(rest) ? rest : undefined
}

/**
 * Keeps only the messages in a stream of bytes. Counts other lines in `stray`. A line of more than `limit` characters
 * is passed on unchanged, without a check.
 */
export const messageLines = <E, R>(
  stdout: Stream.Stream<Uint8Array, E, R>,
  stray: StrayLines,
  limit: number
): Stream.Stream<Uint8Array, E, R> =>
  Stream.suspend(() => {
    const decoder = new TextDecoder()
    const encoder = new TextEncoder()
    let partial = ""
    let isLong = false
    const messageOf = (line: string): string => {
      if (isLong) {
        isLong = false
        return `${line}\n`
      }
      const message = messageIn(line)
      if (message !== undefined) return `${message}\n`
      if (line.trim() !== "") {
        if (stray.count === 0) stray.first = line.trim().slice(0, shownLength)
        stray.count += 1
      }
      return ""
    }
    return Stream.map(stdout, (bytes) => {
      const [first = "", ...others] = decoder.decode(bytes, { stream: true }).split("\n")
      const lines = [partial + first, ...others]
      partial = lines.pop() ?? ""
      let out = lines.map(messageOf).join("")
      if (partial.length > limit) {
        isLong = true
        out += partial
        partial = ""
      }
      return encoder.encode(out)
    })
  })
