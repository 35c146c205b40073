/**
 * Makes foreign text safe to show on a terminal: what a person reads before answering must be what is there. Called by
 * everything that prints text of a model, a file or a tool.
 */

/**
 * Control, format, private, unassigned and surrogate code points, separators other than the blank, and code points that
 * show as nothing. Escape sequences, bidi overrides and zero-width characters are all among them.
 */
const hidden = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu

const escapeCodePoint = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`

/**
 * Shows every code point that is not plainly visible as `\u{...}`, line breaks too; nothing is removed. Applied twice it
 * gives the same text.
 */
export const printable = (text: string): string => text.replace(hidden, escapeCodePoint)

/** Lines and corners of frames. */
const drawn = /[\u2500-\u257f]/gu

/**
 * Like `printable`, for text beside frames: nothing in it looks like a part of them, and no long gap puts its end out of sight.
 */
export const unframed = (text: string): string =>
  printable(text)
    .replace(drawn, escapeCodePoint)
    .replace(/(?<=\S) {9,}/g, (gap) => ` [${gap.length} blanks] `)

/** Like `printable`, but line breaks and tabs stay what they are: source text is full of them. */
export const printableLines = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => line.split("\t").map(printable).join("\t"))
    .join("\n")

/** What JSON leaves as it is although it is not plainly visible; the line breaks of indented JSON stay. */
const hiddenInJson = /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu

const escapeUnits = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`
  ).join("")

/**
 * JSON in which control, format and bidirectional characters are written as `\u` escapes: it reads back as the same value,
 * and does nothing to a terminal that shows it.
 */
export const printableJson = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(hiddenInJson, escapeUnits)

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const harmful = /(?![\n\t])[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/**
 * Takes from a long text only the power over a terminal: control characters and bidi marks are shown as `\u{...}`.
 * Joiners and variation selectors stay, emoji and many scripts need them.
 */
export const harmless = (text: string): string => text.replace(/\r\n/g, "\n").replace(harmful, escapeCodePoint)
