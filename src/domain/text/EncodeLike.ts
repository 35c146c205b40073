/**
 * Encodes the new text of a file as the file is encoded: lines that stay keep their bytes, whatever they are, and changed lines
 * are written in the encoding of the file, with its byte order mark.
 */
import * as Result from "effect/Result"
import { type CharacterSet, shiftJis, windows1252 } from "./CharacterSets.ts"
import {
  decodeFile,
  encodingName,
  hasByteOrderMark,
  shownByte,
  showBytes,
  type TextEncoding,
  utf16Mark
} from "./TextEncoding.ts"

const byteOrderMark = "\uFEFF"
const lineFeed = 10

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

const utf16 = (text: string, isLittle: boolean, isMarked: boolean): Uint8Array => {
  const whole = isMarked && !text.startsWith(byteOrderMark) ? byteOrderMark + text : text
  const view = new DataView(new ArrayBuffer(whole.length * 2))
  for (let at = 0; at < whole.length; at += 1) view.setUint16(at * 2, whole.charCodeAt(at), isLittle)
  return new Uint8Array(view.buffer)
}

/** The lines of bytes, each with its line feed. */
const byteLines = (bytes: Uint8Array): ReadonlyArray<Uint8Array> => {
  const lines: Array<Uint8Array> = []
  for (let at = 0; at < bytes.length;) {
    const feed = bytes.indexOf(lineFeed, at)
    const end = feed === -1 ? bytes.length : feed + 1
    lines.push(bytes.subarray(at, end))
    at = end
  }
  return lines
}

/** The lines of a text, each with its line feed. */
const textLines = (text: string): ReadonlyArray<string> => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

interface OldLine {
  readonly bytes: Uint8Array
  readonly text: string
}

/**
 * For each new line the old one that it is: from both ends as long as they are the same, and between them the next old line
 * with the same text.
 */
const keptLines = (before: ReadonlyArray<OldLine>, after: ReadonlyArray<string>) => {
  const kept = new Map<number, OldLine>()
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && before[head]?.text === after[head]) head += 1
  let tail = 0
  while (tail < shorter - head && before.at(-1 - tail)?.text === after.at(-1 - tail)) tail += 1
  for (let at = 0; at < head; at += 1) kept.set(at, before[at] as OldLine)
  for (let at = 1; at <= tail; at += 1) kept.set(after.length - at, before.at(-at) as OldLine)
  const between = before.slice(head, before.length - tail)
  const places = new Map<string, Array<number>>()
  for (const [at, { text }] of between.entries()) places.set(text, [...(places.get(text) ?? []), at])
  let next = 0
  for (let at = head; at < after.length - tail; at += 1) {
    const same = places.get(after[at] ?? "") ?? []
    const place = same.find((one) => one >= next) ?? same[0]
    if (place === undefined) continue
    kept.set(at, between[place] as OldLine)
    next = place + 1
  }
  const used = new Set(kept.values())
  return { kept, replaced: before.filter((line) => !used.has(line)) }
}

/** Encodes one changed line; fails with the character that the encoding lacks. */
type LineEncoder = (line: string) => Result.Result<Uint8Array, string>

const inCharacterSet =
  ({ encode }: CharacterSet): LineEncoder =>
  (line) => {
    const bytes: Array<number> = []
    for (const character of line) {
      const encoded = encode(character)
      if (encoded === undefined) return Result.fail(character)
      bytes.push(...encoded)
    }
    return Result.succeed(Uint8Array.from(bytes))
  }

/** UTF-8 in which the bytes of the replaced lines that were none become themselves again. */
const withShownBytes = (replaced: ReadonlyArray<OldLine>): LineEncoder => {
  const shown = new Map(
    replaced.flatMap(({ bytes }) => showBytes(bytes).shown.map((byte) => [shownByte(byte), byte] as const))
  )
  return (line) =>
    Result.succeed(
      joined(
        line.split(/(\\x[0-9a-f]{2})/).map((part) => {
          const byte = shown.get(part)
          return byte === undefined ? utf8(part) : Uint8Array.of(byte)
        })
      )
    )
}

type LineEncoding = Exclude<TextEncoding, "UTF-8" | "UTF-16LE" | "UTF-16BE">

const decodeLine: Readonly<Record<LineEncoding, (bytes: Uint8Array) => string>> = {
  "Partly UTF-8": (bytes) => showBytes(bytes).text,
  "Shift-JIS": (bytes) => shiftJis.decode(bytes) ?? "",
  "Windows-1252": (bytes) => windows1252.decode(bytes) ?? ""
}

const encodeLines = (before: Uint8Array, text: string, encoding: LineEncoding): Result.Result<Uint8Array, string> => {
  const start = hasByteOrderMark(before) ? 3 : 0
  const old = byteLines(before.subarray(start)).map((bytes) => ({ bytes, text: decodeLine[encoding](bytes) }))
  const lines = textLines(text)
  const { kept, replaced } = keptLines(old, lines)
  const encodeLine =
    encoding === "Partly UTF-8"
      ? withShownBytes(replaced)
      : inCharacterSet(encoding === "Shift-JIS" ? shiftJis : windows1252)
  const parts: Array<Uint8Array> = [before.subarray(0, start)]
  for (const [at, line] of lines.entries()) {
    const encoded = kept.get(at)?.bytes ?? encodeLine(line)
    if (encoded instanceof Uint8Array) parts.push(encoded)
    else if (Result.isSuccess(encoded)) parts.push(encoded.success)
    else {
      return Result.fail(
        `it is ${encodingName(encoding)}, which has no ${JSON.stringify(encoded.failure)} (line ${at + 1}). Write it with characters of that encoding, such as ASCII, or leave the line as it is`
      )
    }
  }
  return Result.succeed(joined(parts))
}

const encodeAs = (before: Uint8Array, text: string, encoding: TextEncoding): Result.Result<Uint8Array, string> => {
  switch (encoding) {
    case "UTF-8":
      return Result.succeed(
        utf8(hasByteOrderMark(before) && !text.startsWith(byteOrderMark) ? byteOrderMark + text : text)
      )
    case "UTF-16LE":
    case "UTF-16BE":
      return Result.succeed(utf16(text, encoding === "UTF-16LE", utf16Mark(before) !== undefined))
    default:
      return encodeLines(before, text, encoding)
  }
}

const withoutMark = (text: string): string => (text.startsWith(byteOrderMark) ? text.slice(1) : text)

/** The bytes of a text for a file that held other bytes; UTF-8 where it held no text. Fails with why, worded to follow "because". */
export const encodeLike = (before: Uint8Array | undefined, text: string): Result.Result<Uint8Array, string> => {
  const decoded = before === undefined ? undefined : Result.getOrUndefined(decodeFile(before))
  if (before === undefined || decoded === undefined) return Result.succeed(utf8(text))
  return Result.flatMap(encodeAs(before, text, decoded.encoding), (bytes) => {
    if (decoded.encoding === "UTF-8") return Result.succeed(bytes)
    /* What is written must be read as the same text. */
    const read = decodeFile(bytes)
    if (Result.isSuccess(read) && read.success.text === withoutMark(text)) return Result.succeed(bytes)
    return Result.fail(
      `it is ${encodingName(decoded.encoding)}, and with this text it would be taken for another encoding. Convert it to UTF-8 with a command first`
    )
  })
}
