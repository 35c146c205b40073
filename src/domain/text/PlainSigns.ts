/**
 * Characters that models put in the place of those of a keyboard: invisible ones, typographic quotes and dashes, blanks of another
 * width, and full-width signs.
 */

const plainOf: ReadonlyMap<string, string> = new Map(
  Object.entries({ '"': "“”„‟″", "'": "‘’‚‛′", "-": "‐‑‒–—−", " ": "\u00a0\u202f\u3000" }).flatMap(([plain, signs]) =>
    [...signs].map((sign): [string, string] => [sign, plain])
  )
)

/** From `！` to `～`, in the order of ASCII. */
const fullWidth = 0xfee0

const invisible = "\\u00ad\\u200b-\\u200d\\u2060\\ufeff"
const sign = `[${[...plainOf.keys()].join("")}\\uff01-\\uff5e]`
const invisibles = new RegExp(`[${invisible}]`, "gu")
const signs = new RegExp(sign, "gu")

/** A sign with ASCII or another sign on both sides: it belongs to no text in another script. */
const ascii = `(?<![^\\p{ASCII}${invisible}${sign.slice(1, -1)}])`
const asciiAfter = ascii.replace("<!", "!")
const aloneInAscii = new RegExp(`${ascii}[${invisible}]${asciiAfter}`, "gu")

/** The sign of the keyboard; the character itself when there is none. */
const plainSign = (one: string): string => {
  const code = one.charCodeAt(0)
  return plainOf.get(one) ?? (code >= 0xff01 && code <= 0xff5e ? String.fromCharCode(code - fullWidth) : one)
}

/** A text with the signs of a keyboard alone, to compare it. */
export const plainSigns = (text: string): string => text.replace(invisibles, "").replace(signs, plainSign)

/** Without the invisible characters between ASCII, but for those that `known` holds. */
export const withoutInvisible = (text: string, known: string): string =>
  text.replace(aloneInAscii, (one) => (known.includes(one) ? one : ""))

/** With the signs of a keyboard in the place of those that `isMeant` denies. */
export const withPlainSigns = (text: string, isMeant: (sign: string) => boolean): string =>
  text.replace(signs, (one) => (isMeant(one) ? one : plainSign(one)))

/** What of a code holds text of any kind: strings and comments. Words with an apostrophe, and dashes, are no code either. */
const texts =
  "\"\"\"[^]*?\"\"\"|'''[^]*?'''|\"(?:\\\\.|[^\"\\\\\\n])*\"|'(?:\\\\.|[^'\\\\\\n])*'|`(?:\\\\.|[^`\\\\])*`|//.*|#.*|--.*|/\\*[^]*?(?:\\*/|(?![^]))|^[ \\t]*\\*.*"
const codeSign = new RegExp(`${texts}|(?<![a-z])[a-z]{1,40}[‘’][a-z]|${ascii}(?![‐‑‒–—−])${sign}${asciiAfter}`, "gimu")

/** Code with the signs of a keyboard outside of strings and comments, but for those that `isMeant`. */
export const withPlainCode = (code: string, isMeant: (sign: string) => boolean): string =>
  code.replace(codeSign, (found) => (found.length > 1 || isMeant(found) ? found : plainSign(found)))
