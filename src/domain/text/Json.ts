/**
 * Functions for JSON that JavaScript lacks: nesting depth, canonical form, and names in `snake_case`. Also facts that a
 * parser hides: repeated keys, inexact numbers and an unfinished string.
 */
import type * as Schema from "effect/Schema"
import { printableJson } from "./Printable.ts"

/**
 * The maximum number of levels of a JSON value. Deeper values are rejected, because no real arguments, results or
 * settings are that deep.
 */
export const maxNesting = 64

/**
 * A value with more parts than this counts as too deep. Without this maximum, visiting a value that contains the same
 * part many times could take endless time.
 */
export const maxParts = 1_000_000

const partsOf = (value: object): ReadonlyArray<unknown> => (Array.isArray(value) ? value : Object.values(value))

/** True for a value with more than `most` levels of objects and lists, or for one that contains itself. */
export const isNestedTooDeep = (value: unknown, most: number = maxNesting): boolean => {
  let partsLeft = maxParts
  const exceeds = (part: unknown, level: number): boolean => {
    if (typeof part !== "object" || part === null) return false
    partsLeft -= 1
    return level > most || partsLeft < 0 || partsOf(part).some((one) => exceeds(one, level + 1))
  }
  return exceeds(value, 1)
}

const leftOut = "(nested too deeply)"

/** The value without arrays and objects below `most` levels. A short text stands in place of each of them. */
export const withoutDeeper = (value: Schema.Json, most: number): Schema.Json => {
  if (typeof value !== "object" || value === null) return value
  if (most === 0) return leftOut
  if (Array.isArray(value)) return value.map((one) => withoutDeeper(one, most - 1))
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withoutDeeper(one, most - 1)]))
}

/** True for JSON text with more than `most` levels. Brackets in strings do not count. Takes linear time. */
export const textNestedTooDeep = (text: string, most: number = maxNesting): boolean => {
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

/** JSON without blanks, with object keys sorted by code unit. */
export const canonicalJson = (value: Schema.Json): string => {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(",")}}`
}

/**
 * Facts about a text, collected in a single pass. The facts about keys and numbers are valid only if the text is JSON.
 */
export interface JsonScan {
  readonly deepest: number
  /** The number of open brackets at the end. */
  readonly open: number
  /** True if the text ends inside a string. */
  readonly inString: boolean
  /** True if `...` stands outside strings, for omitted parts. */
  readonly ellipsis: boolean
  readonly repeatedKey: string | undefined
  readonly forbiddenKey: string | undefined
  /** A number that is infinite, or too large to be exact. */
  readonly inexactNumber: string | undefined
  /** The end positions (exclusive) of top-level objects and arrays. */
  readonly ends: ReadonlyArray<number>
}

const sign = /["{}[\]\d…-]|\.\.\./g

/** The position of the next character that `sign` matches, or the end of the text. */
const nextSign = (text: string, from: number): number => {
  sign.lastIndex = from
  return sign.exec(text)?.index ?? text.length
}

const numberToken = /-?\d[\d.eE+-]*/y

const endOfString = (text: string, from: number): number => {
  let at = from + 1
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1
  return at
}

const keyText = (token: string): string => {
  try {
    return String(JSON.parse(token))
  } catch {
    return token
  }
}

const isInexact = (token: string): boolean => {
  const value = Number(token)
  if (Number.isNaN(value)) return false
  return !Number.isFinite(value) || (/^-?\d+$/.test(token) && !Number.isSafeInteger(value))
}

/** Collects facts about the JSON in a text, in linear time. */
export const scanJson = (text: string): JsonScan => {
  const stack: Array<Set<string> | undefined> = []
  const ends: Array<number> = []
  let deepest = 0
  let inString = false
  let ellipsis = false
  let repeatedKey: string | undefined
  let forbiddenKey: string | undefined
  let inexactNumber: string | undefined
  for (let at = nextSign(text, 0); at < text.length; at = nextSign(text, at + 1)) {
    const character = text[at] ?? ""
    if (character === '"') {
      const end = endOfString(text, at)
      inString = end >= text.length
      const keys = stack.at(-1)
      if (keys !== undefined && /\s*:/y.test(text.slice(end + 1, end + 50))) {
        const key = keyText(text.slice(at, end + 1))
        if (keys.has(key)) repeatedKey ??= key
        if (key === "__proto__") forbiddenKey ??= key
        keys.add(key)
      }
      at = end
    } else if (character === "{" || character === "[") {
      stack.push(character === "{" ? new Set() : undefined)
      deepest = Math.max(deepest, stack.length)
    } else if (character === "}" || character === "]") {
      stack.pop()
      if (stack.length === 0) ends.push(at + 1)
    } else if (character === "…" || text.startsWith("...", at)) {
      ellipsis = true
    } else if (/[\d-]/.test(character) && !/[\w.]/.test(text[at - 1] ?? "")) {
      numberToken.lastIndex = at
      const token = numberToken.exec(text)?.[0] ?? ""
      if (isInexact(token)) inexactNumber ??= token
      at += Math.max(0, token.length - 1)
    }
  }
  return { deepest, open: stack.length, inString, ellipsis, repeatedKey, forbiddenKey, inexactNumber, ends }
}

/**
 * Fields with values in a foreign format: arguments and results of tools, JSON schemas, and metadata of skills. Names
 * inside stay unchanged.
 */
export const foreignNames: ReadonlySet<string> = new Set(["arguments", "data", "metadata", "parameters", "schema"])

/** A name in snake case: `endsAtSeconds` becomes `ends_at_seconds`. Names such as `_tag` stay unchanged. */
export const snakeName = (name: string): string => name.replace(/[a-z0-9](?=[A-Z])/g, "$&_").toLowerCase()

/** The value with field names in `snake_case`, except inside `foreignNames`. */
const snakeNames = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(snakeNames)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [snakeName(name), foreignNames.has(name) ? part : snakeNames(part)])
  )
}

/** The JSON that a command prints, with names in `snake_case`. It is safe on a terminal. */
export const outputJson = (value: unknown, indent?: number): string => printableJson(snakeNames(value), indent)

/**
 * A name in snake case: `readFile`, `read-file` and `Read File` become `read_file`. Empty if the name has no ASCII
 * letter or digit.
 */
export const snakeCase = (name: string): string =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")

/** Changes every text in a value, also names of fields. */
export const withTexts = <Value>(value: Value, change: (text: string) => string): Value => {
  const within = (part: unknown): unknown => {
    if (typeof part === "string") return change(part)
    if (typeof part !== "object" || part === null) return part
    if (Array.isArray(part)) return part.map(within)
    return Object.fromEntries(Object.entries(part).map(([name, inner]) => [change(name), within(inner)]))
  }
  return within(value) as Value
}
