import { assert, it } from "@effect/vitest"
import { harmless, printable, printableLines } from "../../../src/domain/text/Printable.ts"

it("leaves letters of all scripts, signs and blanks as they are", () => {
  const text = "Zürich 東京 αβγ 😀 a\\b {x} é"
  assert.strictEqual(printable(text), text)
})

it("shows escape sequences, line breaks, C1 controls, bidi overrides and zero-width characters as code points", () => {
  assert.strictEqual(
    printable("\u001b[2J\r\n\t\b\u009b\u202e\u2066\u200b\u{e0041}\u3164\ud800\u00a0\u2028"),
    "\\u{1b}[2J\\u{d}\\u{a}\\u{9}\\u{8}\\u{9b}\\u{202e}\\u{2066}\\u{200b}\\u{e0041}\\u{3164}\\u{d800}\\u{a0}\\u{2028}"
  )
})

it("lines keep line breaks and tabs and nothing else", () => {
  assert.strictEqual(printableLines("a\r\nb\tc\nd\re\u200bf"), "a\nb\tc\nd\\u{d}e\\u{200b}f")
})

it("harmless text shows what could steer a terminal and keeps all other text", () => {
  const text = "a\tb\r\n👩‍💻 ✔️ नमस्ते \u00a0end"
  assert.strictEqual(harmless(text), text.replace("\r", ""))
  assert.strictEqual(
    harmless("\u001b]0;x\u0007\u009b31m\u202egnp.exe\rdone"),
    "\\u{1b}]0;x\\u{7}\\u{9b}31m\\u{202e}gnp.exe\\u{d}done"
  )
})
