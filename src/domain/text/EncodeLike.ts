/** Encodes the new text of a file in the file's encoding. Unchanged lines keep their bytes, even invalid ones. */
import * as Result from "effect/Result"
import * as TextDiff from "effect/TextDiff"
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

interface OldLine {
  readonly bytes: Uint8Array
  readonly text: string
}

/** The lines of a file as bytes, with their line feeds. */
const byteLines = (bytes: Uint8Array, decode: (line: Uint8Array) => string): ReadonlyArray<OldLine> => {
  const lines: Array<OldLine> = []
  for (let at = 0; at < bytes.length;) {
    const line = bytes.subarray(at, bytes.indexOf(lineFeed, at) + 1 || bytes.length)
    lines.push({ bytes: line, text: decode(line) })
    at += line.length
  }
  return lines
}

/**
 * Lines are compared up to this many differences, because more take too long. If there are more differences, all lines
 * from the first to the last difference are encoded again.
 */
const maxEdits = 5000

/**
 * Compares the old lines with the new text. `lines` are the new lines; an unchanged line has its old bytes. `replaced`
 * are the old lines that the new text lacks.
 */
const compareLines = (before: ReadonlyArray<OldLine>, after: string) => {
  const edits = TextDiff.diff(
    before.map(({ text }) => text),
    after === "" ? [] : after.split(/(?<=\n)/),
    { maxEdits }
  )
  const replaced: Array<OldLine> = []
  let at = 0
  const lines = edits.flatMap(
    ({ _tag, items }): ReadonlyArray<{ readonly text: string; readonly bytes?: Uint8Array }> => {
      if (_tag === "Insert") return items.map((text) => ({ text }))
      const old = before.slice(at, (at += items.length))
      if (_tag === "Equal") return old
      replaced.push(...old)
      return []
    }
  )
  return { lines, replaced }
}

/** Encodes a changed line. The failure is the character that the encoding lacks. */
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

/**
 * Encodes a line in UTF-8. Text such as `\xe9`, which displayed an invalid byte of the old line, becomes that byte
 * again.
 */
const withShownBytes = (replaced: ReadonlyArray<OldLine>): LineEncoder => {
  const byteOfText = new Map(
    replaced.flatMap(({ bytes }) => showBytes(bytes).shownBytes.map((byte) => [shownByte(byte), byte] as const))
  )
  return (line) =>
    Result.succeed(
      joined(
        line.split(/(\\x[0-9a-f]{2})/).map((part) => {
          const byte = byteOfText.get(part)
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
  const { lines, replaced } = compareLines(byteLines(before.subarray(start), decodeLine[encoding]), text)
  const encodeLine =
    encoding === "Partly UTF-8"
      ? withShownBytes(replaced)
      : inCharacterSet(encoding === "Shift-JIS" ? shiftJis : windows1252)
  const parts: Array<Uint8Array> = [before.subarray(0, start)]
  for (const [at, line] of lines.entries()) {
    const encoded = line.bytes === undefined ? encodeLine(line.text) : Result.succeed(line.bytes)
    if (Result.isFailure(encoded)) {
      return Result.fail(
        `it is ${encodingName(encoding)}, which has no ${JSON.stringify(encoded.failure)} (line ${at + 1}). Write it with characters of that encoding, such as ASCII, or leave the line as it is`
      )
    }
    parts.push(encoded.success)
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

/**
 * The bytes of a text in the encoding of the old bytes. If there are none, or if they are not text, in UTF-8. A failure
 * is the end of a sentence "because ...".
 */
export const encodeLike = (before: Uint8Array | undefined, text: string): Result.Result<Uint8Array, string> => {
  const decoded = before === undefined ? undefined : Result.getOrUndefined(decodeFile(before))
  if (before === undefined || decoded === undefined) return Result.succeed(utf8(text))
  return Result.flatMap(encodeAs(before, text, decoded.encoding), (bytes) => {
    if (decoded.encoding === "UTF-8") return Result.succeed(bytes)
    /* The encoded bytes must decode to the text that was to be encoded. */
    const read = decodeFile(bytes)
    if (Result.isSuccess(read) && read.success.text === withoutMark(text)) return Result.succeed(bytes)
    return Result.fail(
      `it is ${encodingName(decoded.encoding)}, and with this text it would be taken for another encoding. Convert it to UTF-8 with a command first`
    )
  })
}
