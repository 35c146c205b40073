/**
 * Removes comments and strings from a source file, so that a name is found only in code. Unclear text counts as code: extra
 * matches are examined, but missed ones are lost.
 */
import { isProgram } from "./Declarations.ts"

/** After a colon it is a URL. An unclosed comment does not count. */
const slashes = /(?<!:)\/\/.*|\/\*[\s\S]*?\*\//
const hashes = /#.*/
const prefix = /(?:\b[A-Za-z]{1,2})?/
const tripled = new RegExp(`${prefix.source}(?:"""[\\s\\S]*?"""|'''[\\s\\S]*?''')`)
const quotes = new RegExp(`${prefix.source}"(?:\\\\[\\s\\S]|[^"\\\\\\n])*"`)
const apostrophes = new RegExp(`${prefix.source}'(?:\\\\[\\s\\S]|[^'\\\\\\n])*'`)
const templates = /`(?:\\[\s\S]|[^`\\])*`/
/** One character literal; an apostrophe may also begin a name or a number. */
const character = /'(?:\\[^\n]+?|[^'\\\n])'/

/** A string that may hold code: Python strings with an `f`, and strings with interpolation marks. */
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

/** Replaces the star of an unclosed comment, which would otherwise be searched to the end each time. */
const openStar = "\uE000"

const maskOpenComments = (text: string): string => {
  const lastEnd = Math.max(0, text.lastIndexOf("*/"))
  return text.slice(0, lastEnd) + text.slice(lastEnd).replaceAll("/*", `/${openStar}`)
}

/** The lines of a text with blanks in place of comments and quoted text. Text that is no program stays unchanged. */
export const codeLines = (text: string, language: string): ReadonlyArray<string> => {
  const hidden = hiddenIn(language)
  if (hidden === undefined) return text.split("\n")
  return maskOpenComments(text).replace(hidden, blank).replaceAll(openStar, "*").split("\n")
}
