/**
 * Decodes any bytes of the user, because a log with a broken character is still worth reading. An invalid byte becomes
 * text such as `\xe9`.
 */
import * as Result from "effect/Result"
import { decodeFile, encodingName, hasByteOrderMark, showBytes, unmarkedUtf16, utf16Mark } from "./TextEncoding.ts"
import { counted } from "./Format.ts"

export interface ReadableText {
  readonly text: string
  /** A sentence about the encoding. Absent for UTF-8. */
  readonly encoding?: string
}

/**
 * True if most characters beyond ASCII are accented letters beside other letters, as in Latin-1. False for cut-off or
 * broken bytes.
 */
const isLatinWords = (text: string): boolean => {
  const signs = text.match(/[\u0080-\uFFFF]/g) ?? []
  const letters = text.match(/(?<=\p{L})[\u00C0-\u00FF]|[\u00C0-\u00FF](?=\p{L})/gu) ?? []
  return letters.length > 1 && letters.length * 2 > signs.length
}

const asShown = (bytes: Uint8Array): ReadableText => {
  const { shownBytes, text } = showBytes(hasByteOrderMark(bytes) ? bytes.subarray(3) : bytes)
  const are = shownBytes.length === 1 ? "is" : "are"
  return { text, encoding: `${counted(shownBytes.length, "byte")} of it ${are} no UTF-8 and shown as \\xNN.` }
}

export const readableText = (bytes: Uint8Array): ReadableText => {
  const wide = utf16Mark(bytes) ?? (bytes.includes(0) ? unmarkedUtf16(bytes) : undefined)
  if (wide !== undefined) {
    /* Drops a last byte that is half of a character. */
    const text = new TextDecoder(wide).decode(bytes.subarray(0, bytes.length - (bytes.length % 2)))
    if (!text.includes("\0")) return { text, encoding: `It was encoded as ${wide}.` }
  }
  const decoded = decodeFile(bytes)
  if (Result.isFailure(decoded)) return asShown(bytes)
  const { encoding, text } = decoded.success
  if (encoding === "UTF-8") return { text }
  if (encoding === "Partly UTF-8" || (encoding === "Windows-1252" && !isLatinWords(text))) return asShown(bytes)
  return { text, encoding: `It was encoded as ${encodingName(encoding)}.` }
}
