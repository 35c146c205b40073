import { expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { decodeFile, decodeText } from "../../../src/domain/text/TextEncoding.ts"

const encode = (text: string) => new TextEncoder().encode(text)
const utf16 = (text: string) => new Uint8Array(Buffer.from(text, "utf16le"))
const bytesOf = (...parts: ReadonlyArray<string | number>) =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === "number" ? [part] : Array.from(encode(part)))))

it("decodeText reads UTF-8 and drops the byte order mark", () => {
  expect(decodeText(encode("\uFEFFgrün\r\n"))).toEqual(Result.succeed("grün\r\n"))
  expect(decodeText(new Uint8Array())).toEqual(Result.succeed(""))
})

it.each([
  [utf16("without a mark"), "it looks like UTF-16; convert it to UTF-8"],
  [Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13), "it is binary"],
  [Uint8Array.of(1, 2, 0xff), "it is binary"],
  [bytesOf("caf", 0xe9), "it is not UTF-8 and looks like Latin-1 or Windows-1252; convert it to UTF-8"]
])("decodeText tells what the bytes %j are instead", (bytes, why) => {
  expect(decodeText(bytes)).toEqual(Result.fail(why))
})

/** Bytes with the text that they are read as, and the encoding. */
const encodings: ReadonlyArray<[name: string, bytes: Uint8Array, text: string, encoding: string]> = [
  ["plain UTF-8", encode("grün 日本"), "grün 日本", "UTF-8"],
  ["UTF-8 with a mark", encode("\uFEFFgrün"), "grün", "UTF-8"],
  ["one broken byte in UTF-8", bytesOf("Prüfung ", 0xe9, " läuft"), "Prüfung \\xe9 läuft", "Partly UTF-8"],
  ["a character of UTF-8 that is cut off", encode("grün für").subarray(1, 8), "rün f\\xc3", "Partly UTF-8"],
  ["UTF-16LE with a mark", utf16("\uFEFFgrün\r\n日本"), "grün\r\n日本", "UTF-16LE"],
  ["UTF-16BE with a mark", Buffer.from(utf16("\uFEFFgrün")).swap16(), "grün", "UTF-16BE"],
  ["UTF-16LE without a mark", utf16("int main() {}\r\n"), "int main() {}\r\n", "UTF-16LE"],
  ["a mark of UTF-16 alone", Uint8Array.of(0xff, 0xfe), "", "UTF-16LE"],
  ["Latin-1", Buffer.from("/* größe */ café", "latin1"), "/* größe */ café", "Windows-1252"],
  ["one letter of Latin-1", Buffer.from("élévation\n", "latin1"), "élévation\n", "Windows-1252"],
  ["quotes of Windows-1252", bytesOf(0x93, "it", 0x92, "s ", 0x80, "5", 0x94), "“it’s €5”", "Windows-1252"],
  ["kana in Shift-JIS", bytesOf("// ", 0x83, 0x65, 0x83, 0x58, 0x83, 0x67, "\n"), "// テスト\n", "Shift-JIS"],
  ["Chinese characters in Shift-JIS", bytesOf("# ", 0x8d, 0xc5, 0x91, 0xe5, 0x92, 0x6c), "# 最大値", "Shift-JIS"],
  ["a backslash as second byte", bytesOf(0x95, 0x5c, 0x8e, 0xa6, "\\"), "表示\\", "Shift-JIS"],
  ["half-width kana beside others", bytesOf(0xb1, 0x82, 0xa0), "ｱあ", "Shift-JIS"]
]

/** Bytes that are no text, with why. */
const others: ReadonlyArray<[name: string, bytes: Uint8Array, why: RegExp]> = [
  ["a picture", Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13), /binary/],
  ["text with a zero", bytesOf("text", 0, "text"), /binary/],
  ["control characters", Uint8Array.of(1, 2, 0xff, 0xe9), /binary/],
  ["numbers of two bytes", new Uint8Array(Uint16Array.from({ length: 64 }, (_, at) => at % 20).buffer), /UTF-16/],
  ["UTF-32", bytesOf(0xff, 0xfe, 0, 0, "a", 0, 0, 0), /UTF-32/],
  ["UTF-16 that is cut off", utf16("\uFEFFabc").subarray(0, 7), /UTF-16/]
]

it.each(encodings)("decodeFile reads %s", (_, bytes, text, encoding) => {
  expect(decodeFile(bytes)).toEqual(Result.succeed({ text, encoding }))
})

it.each(others)("decodeFile takes %s for no text", (_, bytes, why) => {
  expect(Result.getOrUndefined(Result.flip(decodeFile(bytes)))).toMatch(why)
})
