/**
 * Makes foreign text safe for a terminal, so that the user sees the whole text before answering a question about it.
 * All code that prints text of a model, a file or a tool must use these functions.
 */

/**
 * Code points that a terminal does not show as they are, such as escape sequences, bidi overrides and zero-width
 * characters.
 */
const hidden = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu

const escapeCodePoint = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/**
 * Replaces each line break and each code point that a terminal hides by `\u{...}`. Nothing is removed. A second call
 * changes nothing.
 */
export const printable = (text: string): string => text.replace(hidden, escapeCodePoint)

const drawn = /[\u2500-\u257f]/gu

/**
 * Like `printable`, for text inside a frame. Also escapes box-drawing characters, and shortens long gaps that would
 * push text out of sight.
 */
export const unframed = (text: string): string =>
  printable(text)
    .replace(drawn, escapeCodePoint)
    .replace(/(?<=\S) {9,}/g, (gap) => ` [${gap.length} blanks] `)

/** Like `printable`, but line breaks and tabs of source text stay. */
export const printableLines = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => line.split("\t").map(printable).join("\t"))
    .join("\n")

/** Characters that a terminal hides and that `JSON.stringify` does not escape. Line breaks of indented JSON stay. */
const hiddenInJson = /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

const escapeUnits = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`
  ).join("")

/** JSON with control, format and bidi characters as `\u` escapes, safe on a terminal. It parses to the same value. */
export const printableJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(hiddenInJson, escapeUnits)

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const harmful = /(?![\n\t])[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/**
 * Makes a long text safe for a terminal: control characters and bidi marks become `\u{...}`. Joiners and variation
 * selectors stay, because emoji and many scripts need them.
 */
export const harmless = (text: string): string => text.replace(/\r\n/g, "\n").replace(harmful, escapeCodePoint)
