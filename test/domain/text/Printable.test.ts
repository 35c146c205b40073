import { assert, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { harmless, printable, printableJson, printableLines } from "../../../src/domain/text/Printable.ts"

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

it.prop("gives the same text when applied twice, with nothing hidden in it", [Schema.String], ([text]) => {
  const once = printable(text)
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return printable(once) === once && !/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(once)
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

it.prop(
  "JSON reads back as the same value and holds nothing hidden, whatever the text",
  { units: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0xffff }))), text: Schema.String },
  ({ text, units }) => {
    const hostile = ["\u202e", "\u{e0041}", "\u0085", "\ufeff", String.fromCharCode(...units)].join(text)
    for (const indent of [undefined, 2]) {
      const json = printableJson({ [hostile]: [hostile, "é 漢字 🙂 — “q”"] }, indent)
      assert.deepStrictEqual(JSON.parse(json), { [hostile]: [hostile, "é 漢字 🙂 — “q”"] })
      assert.include(json, "é 漢字 🙂 — “q”")
      assert.notMatch(json, /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u)
    }
  }
)
