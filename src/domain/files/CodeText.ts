/**
 * Removes comments and strings from a source file, so that names are found only in code. Text that may be code is kept:
 * callers can drop a wrong match, but cannot find a removed one.
 */
import { isProgram } from "./Declarations.ts"

/**
 * Matches comments with slashes. Two slashes after a colon are part of a URL, and an unclosed block comment does not
 * match.
 */
const slashes = /(?<!:)\/\/.*|\/\*[\s\S]*?\*\//
const hashes = /#.*/
const prefix = /(?:\b[A-Za-z]{1,2})?/
const tripled = new RegExp(`${prefix.source}(?:"""[\\s\\S]*?"""|'''[\\s\\S]*?''')`)
const quotes = new RegExp(`${prefix.source}"(?:\\\\[\\s\\S]|[^"\\\\\\n])*"`)
const apostrophes = new RegExp(`${prefix.source}'(?:\\\\[\\s\\S]|[^'\\\\\\n])*'`)
const templates = /`(?:\\[\s\S]|[^`\\])*`/
/**
 * Matches one character in quotes. Longer texts do not count, because an apostrophe may begin a name (Rust) or group
 * digits (C++).
 */
const character = /'(?:\\[^\n]+?|[^'\\\n])'/

/** True for a string that may contain code: a Python string with an `f`, or a string with interpolation marks. */
const holdsCode = (text: string): boolean => /^[A-Za-z]*[fF][A-Za-z]*["']|^`|[#$]\{|\$\(/.test(text)

const wordOf = (...parts: ReadonlyArray<RegExp>): RegExp => new RegExp(parts.map(({ source }) => source).join("|"), "g")

const python = wordOf(tripled, quotes, apostrophes, hashes)
const shell = wordOf(quotes, apostrophes, /(?<![\w$])#.*/)
const script = wordOf(templates, slashes, quotes, apostrophes)
const typed = wordOf(slashes, quotes, character)

const hashed = new Set(["python", "ruby", "elixir", "perl", "r", "julia"])
const shells = new Set(["bash", "shell", "sh", "makefile", "powershell", "nix"])
const scripts = new Set(["javascript", "typescript", "jsx", "tsx", "php", "dart", "vue", "svelte"])

const hiddenIn = (language: string): RegExp | undefined => {
  if (hashed.has(language)) return python
  if (shells.has(language)) return shell
  if (scripts.has(language)) return script
  return isProgram(language) ? typed : undefined
}

const blank = (part: string): string => (holdsCode(part) ? part : part.replace(/[^\n]/g, " "))

/**
 * Replaces the star that opens an unclosed block comment. Otherwise, a search would run from each such comment to the
 * end of the text.
 */
const openStar = "\uE000"

const maskOpenComments = (text: string): string => {
  const lastEnd = Math.max(0, text.lastIndexOf("*/"))
  return text.slice(0, lastEnd) + text.slice(lastEnd).replaceAll("/*", `/${openStar}`)
}

/** The lines of a text with blanks in place of comments and quoted text. A text of prose or data stays unchanged. */
export const codeLines = (text: string, language: string): ReadonlyArray<string> => {
  const hidden = hiddenIn(language)
  if (hidden === undefined) return text.split("\n")
  return maskOpenComments(text).replace(hidden, blank).replaceAll(openStar, "*").split("\n")
}
