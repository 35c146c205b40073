/**
 * Normalises characters that models write instead of keyboard characters: invisible ones, typographic quotes and dashes, wide
 * blanks, and full-width characters.
 */

const plainOf: ReadonlyMap<string, string> = new Map(
  Object.entries({ '"': "“”„‟″", "'": "‘’‚‛′", "-": "‐‑‒–—−", " ": "\u00a0\u202f\u3000" }).flatMap(([plain, signs]) =>
    [...signs].map((sign): [string, string] => [sign, plain])
  )
)

/** The distance from an ASCII character to its full-width form, for `！` to `～`. */
const fullWidth = 0xfee0

const invisible = "\\u00ad\\u200b-\\u200d\\u2060\\ufeff"
const sign = `[${[...plainOf.keys()].join("")}\\uff01-\\uff5e]`
const invisibles = new RegExp(`[${invisible}]`, "gu")
const signs = new RegExp(sign, "gu")

/** A sign between ASCII characters or other signs, so that it belongs to no other script. */
const ascii = `(?<![^\\p{ASCII}${invisible}${sign.slice(1, -1)}])`
const asciiAfter = ascii.replace("<!", "!")
const aloneInAscii = new RegExp(`${ascii}[${invisible}]${asciiAfter}`, "gu")

/** The keyboard character, or the character itself. */
const plainSign = (one: string): string => {
  const code = one.charCodeAt(0)
  return plainOf.get(one) ?? (code >= 0xff01 && code <= 0xff5e ? String.fromCharCode(code - fullWidth) : one)
}

/** A text in keyboard characters only, for comparing. */
export const plainSigns = (text: string): string => text.replace(invisibles, "").replace(signs, plainSign)

/** Removes invisible characters between ASCII, except those in `known`. */
export const withoutInvisible = (text: string, known: string): string =>
  text.replace(aloneInAscii, (one) => (known.includes(one) ? one : ""))

/** Replaces typographic characters that `isMeant` rejects. */
export const withPlainSigns = (text: string, isMeant: (sign: string) => boolean): string =>
  text.replace(signs, (one) => (isMeant(one) ? one : plainSign(one)))

/** The parts of code that may hold any text: strings and comments. Words with an apostrophe, and dashes, are no code either. */
const texts =
  "\"\"\"[^]*?\"\"\"|'''[^]*?'''|\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.|[^'\\\\\\n])*'|`(?:\\\\.|[^`\\\\])*`|//.*|#.*|--.*|/\\*[^]*?(?:\\*/|(?![^]))|^[ \\t]*\\*.*"
const codeSign = new RegExp(`${texts}|(?<![a-z])[a-z]{1,40}[‘’][a-z]|${ascii}(?![‐‑‒–—−])${sign}${asciiAfter}`, "gimu")

/** Replaces typographic characters in code outside strings and comments, except those that `isMeant` accepts. */
export const withPlainCode = (code: string, isMeant: (sign: string) => boolean): string =>
  code.replace(codeSign, (found) => (found.length > 1 || isMeant(found) ? found : plainSign(found)))
