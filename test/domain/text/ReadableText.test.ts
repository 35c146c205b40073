import { expect, it } from "@effect/vitest"
import { readableText } from "../../../src/domain/text/ReadableText.ts"

const bytesOf = (...parts: ReadonlyArray<string | number>) =>
  Buffer.from(parts.flatMap((part) => (typeof part === "number" ? [part] : Array.from(Buffer.from(part)))))
const utf16 = (text: string) => Buffer.from(text, "utf16le")
const shown = (count: number) =>
  `${count} byte${count === 1 ? " of it is" : "s of it are"} no UTF-8 and shown as \\xNN.`

/** What comes on stdin, with the text and the note that it becomes. */
const inputs: ReadonlyArray<[name: string, bytes: Uint8Array, text: string, note: string | undefined]> = [
  ["UTF-8", bytesOf("läuft"), "läuft", undefined],
  ["nothing", Buffer.of(), "", undefined],
  ["UTF-8 with a mark", bytesOf("\uFEFFok"), "ok", undefined],
  ["one broken byte", bytesOf("byte ", 0xe9, "\nFAIL\n"), "byte \\xe9\nFAIL\n", shown(1)],
  ["a character cut off at the beginning", bytesOf("üFAIL").subarray(1), "\\xbcFAIL", shown(1)],
  ["a character cut off at the end", bytesOf("FAIL 😀").subarray(0, 8), "FAIL \\xf0\\x9f\\x98", shown(3)],
  ["a zero", bytesOf("a", 0, "b"), "a\\x00b", shown(1)],
  ["a picture", Buffer.of(0x89, 0x50, 0x4e, 0x47, 0, 0xff), "\\x89PNG\\x00\\xff", shown(3)],
  ["words of Latin-1", Buffer.from("Größe\n", "latin1"), "Größe\n", "It was encoded as Windows-1252 (Latin-1)."],
  ["UTF-16 of PowerShell", utf16("\uFEFFPASS\r\n"), "PASS\r\n", "It was encoded as UTF-16LE."],
  ["half a character of UTF-16", utf16("\uFEFFPASS").subarray(0, 9), "PAS", "It was encoded as UTF-16LE."]
]

it.each(inputs)("shows %s", (_, bytes, text, note) => {
  expect(readableText(bytes)).toEqual(note === undefined ? { text } : { text, encoding: note })
})
