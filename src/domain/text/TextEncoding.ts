/**
 * Decodes bytes to text. `decodeText` accepts only UTF-8, and fails with the reason. `decodeFile` accepts all supported
 * encodings, and names the encoding.
 */
import * as Result from "effect/Result"
import { looksLikeShiftJis, shiftJis, windows1252 } from "./CharacterSets.ts"

/** The encoding of a file. In `Partly UTF-8`, invalid bytes appear as text such as `\xe9`. */
export type TextEncoding = "UTF-8" | "Partly UTF-8" | "UTF-16LE" | "UTF-16BE" | "Windows-1252" | "Shift-JIS"

export interface DecodedText {
  /** The text without its byte order mark. */
  readonly text: string
  readonly encoding: TextEncoding
}

const startsWith = (bytes: Uint8Array, ...mark: ReadonlyArray<number>): boolean =>
  mark.every((byte, index) => bytes[index] === byte)

/** The kind of UTF-16 without a byte order mark, recognised by zeros at every second position. */
export const unmarkedUtf16 = (bytes: Uint8Array): "UTF-16LE" | "UTF-16BE" | undefined => {
  const sample = bytes.subarray(0, 512)
  const zeros = [0, 0] as [number, number]
  for (const [index, byte] of sample.entries()) if (byte === 0) zeros[index % 2 === 0 ? 0 : 1] += 1
  const half = sample.length / 2
  if (sample.length < 4 || Math.max(...zeros) <= half * 0.7 || Math.min(...zeros) >= half * 0.1) return undefined
  return zeros[1] > zeros[0] ? "UTF-16LE" : "UTF-16BE"
}

/**
 * True for control characters that no text has. Tab, line ends, form feed, escape and the old end-of-file mark are
 * allowed.
 */
const hasControls = (bytes: Uint8Array): boolean =>
  bytes.some((byte) => (byte < 32 && ![9, 10, 12, 13, 26, 27].includes(byte)) || byte === 127)

export const hasByteOrderMark = (bytes: Uint8Array): boolean => startsWith(bytes, 0xef, 0xbb, 0xbf)

/** The kind of UTF-16, from the byte order mark. */
export const utf16Mark = (bytes: Uint8Array): "UTF-16LE" | "UTF-16BE" | undefined => {
  if (startsWith(bytes, 0xff, 0xfe)) return "UTF-16LE"
  return startsWith(bytes, 0xfe, 0xff) ? "UTF-16BE" : undefined
}

const guess = (bytes: Uint8Array): string => {
  if (startsWith(bytes, 0xff, 0xfe, 0, 0) || startsWith(bytes, 0, 0, 0xfe, 0xff)) {
    return "it looks like UTF-32; convert it to UTF-8"
  }
  if (utf16Mark(bytes) !== undefined || unmarkedUtf16(bytes) !== undefined) {
    return "it looks like UTF-16; convert it to UTF-8"
  }
  return hasControls(bytes)
    ? "it is binary"
    : "it is not UTF-8 and looks like Latin-1 or Windows-1252; convert it to UTF-8"
}

const strictly = (bytes: Uint8Array, encoding: string): string | undefined => {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/**
 * The text of UTF-8 bytes, without the byte order mark. The failure names the probable format, as the end of a sentence
 * "because ...": `it is binary`.
 */
export const decodeText = (bytes: Uint8Array): Result.Result<string, string> => {
  const text = bytes.includes(0) ? undefined : strictly(bytes, "utf-8")
  return text === undefined ? Result.fail(guess(bytes)) : Result.succeed(text)
}

const follows = (byte: number): boolean => byte >= 0x80 && byte <= 0xbf

/** The length of the UTF-8 character at this position, in bytes; 0 if invalid. */
const characterLength = (bytes: Uint8Array, at: number): number => {
  const [first = 0, second = 0, third = 0, fourth = 0] = bytes.subarray(at, at + 4)
  if (first < 0x80) return 1
  if (first >= 0xc2 && first <= 0xdf) return follows(second) ? 2 : 0
  if (first >= 0xe0 && first <= 0xef) {
    const least = first === 0xe0 ? 0xa0 : 0x80
    const most = first === 0xed ? 0x9f : 0xbf
    return second >= least && second <= most && follows(third) ? 3 : 0
  }
  if (first < 0xf0 || first > 0xf4) return 0
  const least = first === 0xf0 ? 0x90 : 0x80
  const most = first === 0xf4 ? 0x8f : 0xbf
  return second >= least && second <= most && follows(third) && follows(fourth) ? 4 : 0
}

export const shownByte = (byte: number): string => `\\x${byte.toString(16).padStart(2, "0")}`

/** Bytes as text. An escape such as `\xe9` stands for an invalid byte, and `\x00` for a zero byte. */
export interface ShownBytes {
  readonly text: string
  /** The bytes that the text shows as escapes such as `\xe9`, in order. */
  readonly shownBytes: ReadonlyArray<number>
  /** The number of characters that take several bytes. */
  readonly longCharacters: number
}

export const showBytes = (bytes: Uint8Array): ShownBytes => {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  const parts: Array<string> = []
  const shownBytes: Array<number> = []
  let longCharacters = 0
  let start = 0
  const showText = (end: number) => {
    if (end > start) parts.push(decoder.decode(bytes.subarray(start, end)))
  }
  for (let at = 0; at < bytes.length;) {
    const byte = bytes[at] ?? 0
    const length = byte === 0 ? 0 : characterLength(bytes, at)
    if (length > 1) longCharacters += 1
    if (length === 0) {
      showText(at)
      shownBytes.push(byte)
      parts.push(shownByte(byte))
      start = at + 1
    }
    at += Math.max(1, length)
  }
  showText(bytes.length)
  return { text: parts.join(""), shownBytes, longCharacters }
}

const decoded = (text: string, encoding: TextEncoding): Result.Result<DecodedText, string> =>
  Result.succeed({ text, encoding })

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const controlCharacters = /[\0-\x08\x0B\x0E-\x19\x1C-\x1F\x7F]/

const decodeUtf16 = (bytes: Uint8Array, encoding: "UTF-16LE" | "UTF-16BE"): Result.Result<DecodedText, string> => {
  const text = strictly(bytes, encoding)
  return text === undefined || controlCharacters.test(text) ? Result.fail(guess(bytes)) : decoded(text, encoding)
}

/** Decodes bytes that are not valid UTF-8 and contain no zero byte. Fails if the content is binary. */
const decodeOther = (bytes: Uint8Array): Result.Result<DecodedText, string> => {
  if (hasControls(bytes)) return Result.fail("it is binary")
  const { longCharacters, shownBytes, text } = showBytes(hasByteOrderMark(bytes) ? bytes.subarray(3) : bytes)
  if (longCharacters >= shownBytes.length || hasByteOrderMark(bytes)) return decoded(text, "Partly UTF-8")
  const japanese = shiftJis.decode(bytes)
  if (japanese !== undefined && looksLikeShiftJis(japanese)) return decoded(japanese, "Shift-JIS")
  return decoded(windows1252.decode(bytes) ?? "", "Windows-1252")
}

/**
 * The text of a file in UTF-8 (also with some invalid bytes), UTF-16 or Shift-JIS. Any other text is decoded as
 * Windows-1252, which has a character for each byte. Fails like `decodeText` if the content is no text.
 */
export const decodeFile = (bytes: Uint8Array): Result.Result<DecodedText, string> => {
  const wide = utf16Mark(bytes) ?? (bytes.includes(0) ? unmarkedUtf16(bytes) : undefined)
  if (wide !== undefined) return decodeUtf16(bytes, wide)
  if (bytes.includes(0)) return Result.fail(guess(bytes))
  const text = strictly(bytes, "utf-8")
  return text === undefined ? decodeOther(bytes) : decoded(text, "UTF-8")
}

/** The name by which users know an encoding, such as `Windows-1252 (Latin-1)`. */
export const encodingName = (encoding: TextEncoding): string =>
  encoding === "Windows-1252" ? "Windows-1252 (Latin-1)" : encoding

/** A line about the encoding of a file. Undefined for UTF-8. */
export const encodingNote = (encoding: TextEncoding | undefined): string | undefined => {
  if (encoding === undefined || encoding === "UTF-8") return undefined
  return encoding === "Partly UTF-8"
    ? "Not all of the file is UTF-8: bytes that are no text are shown as \\xNN. An edit keeps them."
    : `The file is encoded as ${encodingName(encoding)}. An edit keeps that.`
}
