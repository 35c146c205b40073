/**
 * The character sets of text files that are not Unicode: Windows-1252, which includes Latin-1, and Shift-JIS. One table
 * both decodes and encodes a set, so text that is read and written keeps its bytes.
 */

/** A character set that includes ASCII. */
export interface CharacterSet {
  /** The text; undefined if a byte is not in the set. */
  readonly decode: (bytes: Uint8Array) => string | undefined
  /** The bytes of one character; undefined if the set lacks it. */
  readonly encode: (character: string) => ReadonlyArray<number> | undefined
}

/**
 * The characters of Windows-1252 from 0x80 to 0x9F. Five positions have no character, and hold the control character of
 * the same number.
 */
const windowsSigns =
  "\u20AC\u0081\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\u008D\u017D\u008F" +
  "\u0090\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\u009D\u017E\u0178"

const windowsCharacters = Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 && byte < 0xa0 ? (windowsSigns[byte - 0x80] ?? "") : String.fromCharCode(byte)
)
const windowsBytes = new Map(windowsCharacters.map((character, byte) => [character, [byte]] as const))

/* This table replaces `TextDecoder`, because some Node releases decode Windows-1252 as Latin-1. */
export const windows1252: CharacterSet = {
  decode: (bytes) => Array.from(bytes, (byte) => windowsCharacters[byte] ?? "").join(""),
  encode: (character) => windowsBytes.get(character)
}

const isHalfWidth = (byte: number): boolean => byte >= 0xa1 && byte <= 0xdf

/**
 * True for a first byte that begins the second encoding of a character. Some characters have one, which encoders never
 * write.
 */
const isDoubled = (lead: number): boolean => lead === 0xed || lead === 0xee

const keyOf = (lead: number, trail: number): number => lead * 256 + trail

interface PairTable {
  readonly characters: ReadonlyMap<number, string>
  readonly bytes: ReadonlyMap<string, ReadonlyArray<number>>
}

const makePairTable = (): PairTable => {
  const decoder = new TextDecoder("shift_jis")
  const characters = new Map<number, string>()
  const bytes = new Map<string, ReadonlyArray<number>>()
  for (let lead = 0x81; lead <= 0xfc; lead += 1) {
    for (let trail = 0x40; trail <= 0xfc; trail += 1) {
      const character = decoder.decode(Uint8Array.of(lead, trail))
      /* Skips bytes that encode no character or several characters, and private-use characters. */
      if (character.length !== 1 || /[\uE000-\uF8FF\uFFFD]/.test(character)) continue
      characters.set(keyOf(lead, trail), character)
      if (!isDoubled(lead) && !bytes.has(character)) bytes.set(character, [lead, trail])
    }
  }
  return { characters, bytes }
}

let pairTable: PairTable | undefined
const pairs = (): PairTable => (pairTable ??= makePairTable())

/** The first half-width katakana, encoded as the byte 0xA1. */
const halfWidth = 0xff61

export const shiftJis: CharacterSet = {
  decode: (bytes) => {
    const { characters } = pairs()
    const parts: Array<string> = []
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0
      if (byte < 0x80) parts.push(String.fromCharCode(byte))
      else if (isHalfWidth(byte)) parts.push(String.fromCharCode(halfWidth + byte - 0xa1))
      else {
        const character = characters.get(keyOf(byte, bytes[at + 1] ?? 0))
        if (character === undefined) return undefined
        parts.push(character)
        at += 1
      }
    }
    return parts.join("")
  },
  encode: (character) => {
    const code = character.charCodeAt(0)
    if (character.length === 1 && code < 0x80) return [code]
    if (character.length === 1 && code >= halfWidth && code < halfWidth + 63) return [0xa1 + code - halfWidth]
    return pairs().bytes.get(character)
  }
}

/**
 * True for the first byte of the most common Chinese characters. The bytes of accented letters in Windows-1252 are
 * higher.
 */
const isCommonLead = (lead: number): boolean => lead >= 0x88 && lead <= 0x97

const kana = /[\u3041-\u3096\u30A1-\u30FA]/
const chineseRuns = /[\u3000-\u3003\u3005\u30FB\u30FC\u4E00-\u9FFF]{2,}/g

/**
 * True for decoded text that is almost certainly Shift-JIS: it has kana, or a row of Chinese characters with a common
 * one among them. Words with accents in Windows-1252 may look like rare Chinese characters.
 */
export const looksLikeShiftJis = (text: string): boolean =>
  kana.test(text) ||
  Array.from(text.matchAll(chineseRuns)).some(([run]) =>
    Array.from(run).some((character) => isCommonLead(shiftJis.encode(character)?.[0] ?? 0))
  )
