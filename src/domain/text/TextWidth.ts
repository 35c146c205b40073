/**
 * How wide text is on a terminal, for marks that have to stand under the right character. For text that `printable` has
 * made safe: nothing invisible is left in it.
 */
import { eastAsianWidth } from "get-east-asian-width"

const combining = /[\p{Mn}\p{Me}]/u

/** The columns that one code point takes: 0 for a mark on the character before it, 2 for East Asian text and emoji. */
const widthOf = (character: string): number => {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x300) return 1
  return combining.test(character) ? 0 : eastAsianWidth(code)
}

/** The columns of a text. */
export const textWidth = (text: string): number => {
  let width = 0
  for (const character of text) width += widthOf(character)
  return width
}
