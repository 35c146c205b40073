import { expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { encodeLike } from "../../../src/domain/text/EncodeLike.ts"
import { decodeFile } from "../../../src/domain/text/TextEncoding.ts"

const bytesOf = (...parts: ReadonlyArray<string | number>) =>
  Buffer.from(parts.flatMap((part) => (typeof part === "number" ? [part] : Array.from(Buffer.from(part)))))
const utf16 = (text: string) => Buffer.from(text, "utf16le")
const latin = (text: string) => Buffer.from(text, "latin1")

const textOf = (bytes: Uint8Array): string => Result.getOrThrow(decodeFile(bytes)).text
const edited = (bytes: Uint8Array, change: (text: string) => string) => encodeLike(bytes, change(textOf(bytes)))

const limit = (text: string): string => text.replace("limit = 5", "limit = 60")

const allHigh = Array.from({ length: 128 }, (_, at) => at + 128)

/** Files with what a change of the ASCII line makes of them: every other byte stays. */
const files: ReadonlyArray<[name: string, before: Buffer, after: Buffer]> = [
  ["UTF-8", bytesOf("größe\nlimit = 5\n"), bytesOf("größe\nlimit = 60\n")],
  ["UTF-8 with a mark", bytesOf("\uFEFFlimit = 5\r\n"), bytesOf("\uFEFFlimit = 60\r\n")],
  ["Latin-1", latin("/* größe */\nlimit = 5\nß"), latin("/* größe */\nlimit = 60\nß")],
  ["Latin-1 with mixed line ends", latin("é\r\nlimit = 5\nü\r\n"), latin("é\r\nlimit = 60\nü\r\n")],
  ["Latin-1 in the changed line", latin("limit = 5 // größe\n"), latin("limit = 60 // größe\n")],
  ["all bytes of Windows-1252", bytesOf(...allHigh, "\nlimit = 5"), bytesOf(...allHigh, "\nlimit = 60")],
  ["UTF-16LE with CRLF", utf16("\uFEFFgrün\r\nlimit = 5\r\n"), utf16("\uFEFFgrün\r\nlimit = 60\r\n")],
  ["UTF-16BE", utf16("\uFEFF日本\nlimit = 5").swap16(), utf16("\uFEFF日本\nlimit = 60").swap16()],
  ["UTF-16 without a mark", utf16("int limit = 5;\r\n"), utf16("int limit = 60;\r\n")],
  [
    "Shift-JIS, also of characters that it holds twice",
    bytesOf(0x83, 0x65, 0xed, 0x40, 0xfa, 0x5c, "\nlimit = 5\n", 0x81, 0x5c, "\n"),
    bytesOf(0x83, 0x65, 0xed, 0x40, 0xfa, 0x5c, "\nlimit = 60\n", 0x81, 0x5c, "\n")
  ],
  ["a broken byte and its word", bytesOf("ß \\xe9\n", 0xe9, "limit = 5"), bytesOf("ß \\xe9\n", 0xe9, "limit = 60")],
  ["a broken byte in the changed line", bytesOf("ä ", 0xe9, " limit = 5"), bytesOf("ä ", 0xe9, " limit = 60")]
]
it.each(files)("keeps the bytes of %s", (_, before, after) => {
  expect(edited(before, limit)).toEqual(Result.map(Result.succeed(after), (bytes) => new Uint8Array(bytes)))
})

it("writes new characters in the encoding of the file", () => {
  const rows: ReadonlyArray<[before: Buffer, text: string, after: Buffer]> = [
    [latin("é\n"), "é\n“ü”\n", Buffer.concat([latin("é\n"), Buffer.of(0x93, 0xfc, 0x94, 10)])],
    [utf16("\uFEFFa"), "日本", utf16("\uFEFF日本")],
    [Buffer.of(0x82, 0xa0), "あ表", Buffer.of(0x82, 0xa0, 0x95, 0x5c)],
    [latin("é"), "", Buffer.of()]
  ]
  for (const [before, text, after] of rows) {
    expect(Buffer.from(Result.getOrThrow(encodeLike(before, text)))).toEqual(after)
  }
})

it("writes UTF-8 where there is no text yet", () => {
  for (const before of [undefined, Buffer.of(), Buffer.of(0, 1, 2), Buffer.from("plain")]) {
    expect(Result.getOrThrow(encodeLike(before, "grün"))).toEqual(new TextEncoder().encode("grün"))
  }
})

it("says which character the encoding of the file lacks", () => {
  expect(edited(latin("é\n"), (text) => `${text}→\n`)).toEqual(
    Result.fail(
      'it is Windows-1252 (Latin-1), which has no "→" (line 2). Write it with characters of that encoding, such as ASCII, or leave the line as it is'
    )
  )
  expect(Result.getOrThrow(Result.flip(edited(Buffer.of(0x82, 0xa0), () => "あü")))).toContain(
    'Shift-JIS, which has no "ü"'
  )
  expect(Result.isFailure(edited(utf16("\uFEFFa"), () => "\uD800"))).toBe(true)
})

it("refuses a text that would be read in another encoding", () => {
  expect(Result.getOrThrow(Result.flip(edited(latin("Ã¼ é è"), () => "Ã¼")))).toContain("taken for another encoding")
})
