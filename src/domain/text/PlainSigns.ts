/**
 * Replaces characters that models write in place of keyboard characters: invisible characters, typographic quotes and
 * dashes, special blanks, and full-width characters.
 */

const plainOf: ReadonlyMap<string, string> = new Map(
  Object.entries({ '"': "“”„‟″", "'": "‘’‚‛′", "-": "‐‑‒–—−", " ": "\u00a0\u202f\u3000" }).flatMap(([plain, signs]) =>
    [...signs].map((sign): [string, string] => [sign, plain])
  )
)

/** The distance from an ASCII character to its full-width form, from `！` to `～`. */
const fullWidth = 0xfee0

const invisible = "\\u00ad\\u200b-\\u200d\\u2060\\ufeff"
const sign = `[${[...plainOf.keys()].join("")}\\uff01-\\uff5e]`
const invisibles = new RegExp(`[${invisible}]`, "gu")
const signs = new RegExp(sign, "gu")

/**
 * Conditions before and after a sign. If a neighbour is neither ASCII nor one of these signs, the sign may belong to
 * another script.
 */
const ascii = `(?<![^\\p{ASCII}${invisible}${sign.slice(1, -1)}])`
const asciiAfter = ascii.replace("<!", "!")
const aloneInAscii = new RegExp(`${ascii}[${invisible}]${asciiAfter}`, "gu")

/** The keyboard character that a sign stands for, or the sign itself. */
const plainSign = (one: string): string => {
  const code = one.charCodeAt(0)
  return plainOf.get(one) ?? (code >= 0xff01 && code <= 0xff5e ? String.fromCharCode(code - fullWidth) : one)
}

/**
 * The text without invisible characters, and with keyboard characters in place of typographic signs. Only for
 * comparisons.
 */
export const plainSigns = (text: string): string => text.replace(invisibles, "").replace(signs, plainSign)

/** Removes invisible characters between ASCII characters, unless `known` contains them. */
export const withoutInvisible = (text: string, known: string): string =>
  text.replace(aloneInAscii, (one) => (known.includes(one) ? one : ""))

/** Replaces typographic characters by keyboard characters, except those that `isMeant` accepts. */
export const withPlainSigns = (text: string, isMeant: (sign: string) => boolean): string =>
  text.replace(signs, (one) => (isMeant(one) ? one : plainSign(one)))

/** Strings and comments of code, which may hold any character. */
const texts =
  "\"\"\"[^]*?\"\"\"|'''[^]*?'''|\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.|[^'\\\\\\n])*'|`(?:\\\\.|[^`\\\\])*`|//.*|#.*|--.*|/\\*[^]*?(?:\\*/|(?![^]))|^[ \\t]*\\*.*"
const codeSign = new RegExp(`${texts}|(?<![a-z])[a-z]{1,40}[‘’][a-z]|${ascii}(?![‐‑‒–—−])${sign}${asciiAfter}`, "gimu")

/**
 * Replaces typographic characters in code. Leaves strings, comments, dashes, words with an apostrophe, and signs that
 * `isMeant` accepts.
 */
export const withPlainCode = (code: string, isMeant: (sign: string) => boolean): string =>
  code.replace(codeSign, (found) => (found.length > 1 || isMeant(found) ? found : plainSign(found)))
