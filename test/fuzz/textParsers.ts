/**
 * What changes foreign text before it is shown, kept or sent: JSON with places, escapes for a terminal, taking secrets out,
 * decoding.
 */
import * as Result from "effect/Result"
import { readJson } from "../../src/domain/text/JsonText.ts"
import { scanJson } from "../../src/domain/text/Json.ts"
import { harmless, printable, printableJson, printableLines } from "../../src/domain/text/Printable.ts"
import { makeRedaction, makeSafeJson } from "../../src/domain/text/Redaction.ts"
import { decodeText } from "../../src/domain/text/TextEncoding.ts"
import type { FuzzedParser } from "./FuzzParsers.ts"
import { json, jsonTokens, parsed } from "./jsonTokens.ts"

const located: FuzzedParser = {
  name: "JSON with places",
  valid: ['{ "a": [1, { "b": "\\u00e4" }], "c": null }', '[[[]], {}, "x", -1.5e3]'],
  tokens: jsonTokens,
  accepts: (text) => Result.isSuccess(readJson(text)),
  defect: (text) => {
    scanJson(text)
    const read = readJson(text)
    const value = parsed(text)
    if (Result.isSuccess(read)) return json(read.success.value) === json(value?.value) ? undefined : "another value"
    return read.failure.what === "" || read.failure.line < 1 ? "refused without words or a place" : undefined
  }
}

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const dangerous = /(?!\n)[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/

const terminal: FuzzedParser = {
  name: "text for a terminal",
  valid: ["\u001b]0;x\u0007\u001b[2Jrm -rf", "a\u202eb\u2066c", "plain text\n\twith lines\r\n"],
  tokens: ["\u001b[", "\u009b", "\u0008", "\r", "\u202e", "\u2066", "\u200b", "\u{e0041}", "\ufe0f", "\\u{1b}", "\t"],
  accepts: (text) => printable(text) !== text,
  defect: (text) => {
    const shown = printable(text)
    if (dangerous.test(shown) || shown.includes("\n")) return "a hidden character is shown"
    if (printable(shown) !== shown) return "shown twice is another text"
    if (dangerous.test(printableLines(text).replaceAll("\t", ""))) return "a hidden character is shown in lines"
    // oxlint-disable-next-line no-control-regex -- the same
    if (/[\u001b\u009b\u0008\r\u202e]/.test(harmless(text))) return "an escape is left"
    const value = { [text]: [text] }
    if (dangerous.test(printableJson(value))) return "a hidden character in JSON"
    return json(JSON.parse(printableJson(value, 2))) === json(value) ? undefined : "JSON of another value"
  }
}

const secret = "Zx9-very/secret+value"
const redact = makeRedaction([secret])
const safeJson = makeSafeJson([secret])

const redaction: FuzzedParser = {
  name: "secrets in texts",
  valid: [`TOKEN=${secret}\n`, `{"a":"${secret}"}`, encodeURIComponent(secret), `a\t${secret}\\n`],
  tokens: [
    secret,
    secret.slice(0, 8),
    encodeURIComponent(secret),
    "ghp_",
    "Bearer ",
    "A".repeat(36),
    "\\n",
    "\\t",
    '"',
    "="
  ],
  accepts: (text) => redact(text) !== text,
  defect: (text) => {
    if (redact(text).includes(secret)) return "a known value is left"
    if (redact(redact(text)) !== redact(text)) return "taken out twice gives another text"
    const kept = safeJson({ a: text })
    if (parsed(kept) === undefined) return "JSON is broken"
    return kept.includes(secret) ? "a known value is left in JSON" : undefined
  }
}

const bytesOf = (text: string): Uint8Array => Uint8Array.from(text, (one) => one.charCodeAt(0) & 0xff)

const encoding: FuzzedParser = {
  name: "bytes of a file",
  valid: ["plain\n", "\u00ef\u00bb\u00bfmarked", "\u00c3\u00a4"],
  tokens: [
    "\u00ff\u00fe",
    "\u00fe\u00ff",
    "\u00ef\u00bb\u00bf",
    "\u0000a",
    "\u00c3",
    "\u00ed\u00a0\u0080",
    "\u00f0\u009f\u008e\u00af"
  ],
  accepts: (text) => Result.isSuccess(decodeText(bytesOf(text))),
  defect: (text) => {
    const read = decodeText(bytesOf(text))
    if (Result.isFailure(read)) return read.failure === "" ? "refused without a reason" : undefined
    return read.success.includes("\ufffd") && !text.includes("\u00ef\u00bf\u00bd") ? "a byte was replaced" : undefined
  }
}

export const textParsers: ReadonlyArray<FuzzedParser> = [located, terminal, redaction, encoding]
