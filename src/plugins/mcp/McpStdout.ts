/**
 * What a server program writes to its stdout: messages, a line each. Programs write other lines there too, such as a greeting or a
 * log; those are left out and counted.
 */
import * as Stream from "effect/Stream"
import * as Predicate from "effect/Predicate"

/** The lines that were left out. */
export interface StrayLines {
  count: number
  /** The beginning of the first one. */
  first: string
}

const shownLength = 120

/** Where a message may begin behind something else in its line. */
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

/** The message in a line; nothing when there is none. Whether one that begins as messages do is well formed is read later. */
const messageIn = (line: string): string | undefined => {
  const text = line.trim().replace(/^\uFEFF/, "")
  if (/^\{\s*"jsonrpc"\s*:/.test(text) || isMessage(text)) return text
  const at = text.search(messageStart)
  const rest = at > 0 ? text.slice(at) : ""
  return rest !== "" && isMessage(rest) ? rest : undefined
}

/** The messages among the lines of a stream of bytes. A line of more characters than `most` goes on as it is. */
export const messageLines = <E, R>(
  stdout: Stream.Stream<Uint8Array, E, R>,
  stray: StrayLines,
  most: number
): Stream.Stream<Uint8Array, E, R> =>
  Stream.suspend(() => {
    const decoder = new TextDecoder()
    const encoder = new TextEncoder()
    let held = ""
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
      const lines = [held + first, ...others]
      held = lines.pop() ?? ""
      let out = lines.map(messageOf).join("")
      if (held.length > most) {
        isLong = true
        out += held
        held = ""
      }
      return encoder.encode(out)
    })
  })
