/**
 * How deeply JSON may be nested. The engine and the libraries that write, check and compare values descend by calling
 * themselves, so that a value of some thousand levels ends them. What comes from outside is measured before that, without
 * descending further than the limit.
 */
import type * as Schema from "effect/Schema"

/** More levels than this are read nowhere: nobody's arguments, results or settings have as many. */
export const maxNesting = 64

/** More parts than this are not measured: a value that refers to the same part again and again can have any number. */
const maxParts = 1_000_000

const partsOf = (value: object): ReadonlyArray<unknown> => (Array.isArray(value) ? value : Object.values(value))

/** True for a value with more than `most` levels of objects and lists, also for one that holds itself. */
export const isNestedTooDeep = (value: unknown, most: number = maxNesting): boolean => {
  let left = maxParts
  const exceeds = (part: unknown, level: number): boolean => {
    if (typeof part !== "object" || part === null) return false
    left -= 1
    return level > most || left < 0 || partsOf(part).some((one) => exceeds(one, level + 1))
  }
  return exceeds(value, 1)
}

/** What stands for the parts that are left out. */
export const leftOut = "(nested too deeply)"

/** The value with at most `most` levels; what is deeper is replaced by a text that says so. */
export const withoutDeeper = (value: Schema.Json, most: number): Schema.Json => {
  if (typeof value !== "object" || value === null) return value
  if (most === 0) return leftOut
  if (Array.isArray(value)) return value.map((one) => withoutDeeper(one, most - 1))
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutDeeper(one, most - 1)]))
}

const hasMore = (text: string, character: string, most: number): boolean => {
  let count = 0
  for (let at = text.indexOf(character); at !== -1 && count <= most; at = text.indexOf(character, at + 1)) count += 1
  return count > most
}

/** True when a text has, as JSON, more than `most` levels; brackets inside strings do not count. Linear in its length. */
export const textNestedTooDeep = (text: string, most: number = maxNesting): boolean => {
  /* Finding brackets is much faster than telling which are in strings, and few texts have as many at all. */
  if (!hasMore(text, "[", most >> 1) && !hasMore(text, "{", most >> 1)) return false
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at)
    if (character === 0x22) {
      at += 1
      while (at < text.length && text.charCodeAt(at) !== 0x22) at += text.charCodeAt(at) === 0x5c ? 2 : 1
    } else if (character === 0x7b || character === 0x5b) {
      depth += 1
      if (depth > most) return true
    } else if (character === 0x7d || character === 0x5d) depth -= 1
  }
  return false
}
