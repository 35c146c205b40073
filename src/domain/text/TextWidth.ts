/**
 * How wide text is on a terminal, for marks that have to stand under the right character. For text that `printable` has
 * made safe: nothing invisible is left in it.
 */

const wide =
  /[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u
const regional = /\p{Regional_Indicator}/u
const combining = /[\p{Mn}\p{Me}]/u

/** The columns that one code point takes: 0 for a mark on the character before it, 2 for East Asian text and emoji. */
export const widthOf = (character: string): number => {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x300) return 1
  if (combining.test(character)) return 0
  return wide.test(character) && !regional.test(character) ? 2 : 1
}

/** The columns of a text. */
export const textWidth = (text: string): number => {
  let width = 0
  for (const character of text) width += widthOf(character)
  return width
}
