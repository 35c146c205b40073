/**
 * The language of the patterns in permission rules. `*` stands for any run of characters within one path component,
 * `**` for any run across components; as a component of its own, with the slash after it, `**` may also stand for
 * nothing. A backslash takes the next character literally. Everything else is literal, also `?` and brackets. Patterns
 * are compiled for an engine that takes time linear to the text.
 */
import { RE2JS } from "re2js"

/** A wildcard, or the literal text up to the next one. */
const part = /(?<=^|\/)\*\*\/|\*\*?|(?:\\.|[^*])+/gsu

const wildcards: ReadonlyMap<string, string> = new Map([
  ["**/", "(?:.*/)?"],
  ["**", ".*"],
  ["*", "[^/]*"]
])

const literalOf = (text: string): string => text.replace(/\\(.)/gsu, "$1")

/** A pattern that is ready to be compared. */
interface Compiled {
  /** The longest literal text of the pattern; most texts are told apart by it. */
  readonly needed: string
  readonly parts: ReadonlyArray<string>
  /** Compiled when a text holds what is needed. */
  expression?: RE2JS
}

/** A run judges many calls by the same few rules. */
const compiled = new Map<string, Compiled>()
const maxCompiled = 10_000

const read = (pattern: string, boundaries: string): Compiled => {
  const key = `${boundaries}\n${pattern}`
  const known = compiled.get(key)
  if (known !== undefined) return known
  const parts = pattern.match(part) ?? []
  const literals = parts.filter((one) => !wildcards.has(one)).map(literalOf)
  const needed = literals.reduce((longest, one) => (one.length > longest.length ? one : longest), "")
  const made = { needed, parts }
  if (compiled.size >= maxCompiled) compiled.clear()
  compiled.set(key, made)
  return made
}

const expressionOf = (parts: ReadonlyArray<string>, boundaries: string): RE2JS => {
  const begin = parts.map((one) => wildcards.get(one) ?? RE2JS.quote(literalOf(one))).join("")
  return RE2JS.compile(boundaries === "" ? begin : `${begin}(?:[${boundaries}].*)?`, RE2JS.DOTALL)
}

/**
 * True when the pattern stands for the whole text, or, with `boundaries`, for a beginning of it that one of these
 * characters follows. Boundaries are characters that mean themselves in a class of a regular expression.
 */
export const matches = (pattern: string, text: string, boundaries = ""): boolean => {
  const known = read(pattern, boundaries)
  if (!text.includes(known.needed)) return false
  known.expression ??= expressionOf(known.parts, boundaries)
  return known.expression.testExact(text)
}
