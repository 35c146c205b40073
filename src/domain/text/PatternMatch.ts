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

/** Compiling takes far longer than comparing, and a run judges many calls by the same few rules. */
const compiled = new Map<string, RE2JS>()
const maxCompiled = 1000

const expressionOf = (pattern: string, boundaries: string): RE2JS => {
  const key = `${boundaries}\n${pattern}`
  const known = compiled.get(key)
  if (known !== undefined) return known
  const parts = pattern.match(part) ?? []
  const begin = parts.map((one) => wildcards.get(one) ?? RE2JS.quote(literalOf(one))).join("")
  const made = RE2JS.compile(boundaries === "" ? begin : `${begin}(?:[${boundaries}].*)?`, RE2JS.DOTALL)
  if (compiled.size >= maxCompiled) compiled.clear()
  compiled.set(key, made)
  return made
}

/**
 * True when the pattern stands for the whole text, or, with `boundaries`, for a beginning of it that one of these
 * characters follows. Boundaries are characters that mean themselves in a class of a regular expression.
 */
export const matches = (pattern: string, text: string, boundaries = ""): boolean =>
  expressionOf(pattern, boundaries).testExact(text)
