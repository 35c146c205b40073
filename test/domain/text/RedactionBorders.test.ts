/**
 * Every form of a secret at every border, as it is and written into JSON, within JSON or not: in values before they become
 * lines of a journal, and in events and texts that are printed.
 */
import { describe, expect, it } from "@effect/vitest"
import type * as Schema from "effect/Schema"
import { makeRedaction, makeSafeJson, makeValueRedaction, redacted } from "../../../src/domain/text/Redaction.ts"
import { firstSum } from "../../../src/services/journal/JournalLine.ts"
import { encodeLine } from "../../support/encodeLine.ts"
import { linesOf } from "../../support/SealedJournals.ts"
import { body, secrets } from "../../support/SecretForms.ts"
import { settled } from "../../support/Journals.ts"

const redact = makeValueRedaction([])
const redactText = makeRedaction([])

/** What may stand directly before a secret. */
const before = [
  ..."\n\t\b\f\v\0\r !\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~¡é語。\u00A0\u2028\uFEFF\u200B",
  "",
  "\r\n",
  "\n\n",
  "line\n\t",
  "\u001b[0m",
  "\u001b[1;31m",
  "\\n",
  "\\t",
  "\\r\\n",
  "\\\\n",
  "\\\\\\\\t",
  "\\u000a",
  "\\u001b[32m",
  "\\x0a",
  "\\x1b[32m",
  "\\033[0m",
  "\\e[0m",
  "%20",
  "%0A",
  "&#10;",
  "TOKEN=",
  "export API_KEY=",
  'export API_KEY="',
  "API_KEY: ",
  "--token=",
  "--token ",
  "https://host.example/path?key=",
  "https://host.example/path?a=b&key=",
  "https://host.example/#",
  "X-Api-Key: ",
  "Authorization: token ",
  "curl -H 'X-Api-Key: ",
  '{"key":"',
  "{'key': '",
  "<token>",
  "- ",
  "* `",
  "0: "
] as const

/** What may stand directly behind one. */
const after = ["", "\n", "\t", " ", '"', "'", "`", ",", ";", ")", "}", "</token>", "\\n", "\u001b[0m", "&a=b"]

const nested = (text: string, depth: number): string =>
  depth === 0 ? text : JSON.stringify({ at: 1, text: nested(text, depth - 1) })

/** The borders at which a text still holds the secret. */
const leaks = (secret: string, clean: (text: string) => string): ReadonlyArray<string> => {
  const heart =
    secret
      .replaceAll(/\s+/g, "\n")
      .split("\n")
      .toSorted((a, b) => b.length - a.length)[0] ?? secret
  const places = [...before.map((lead) => [lead, " after"] as const), ...after.map((end) => ["before ", end] as const)]
  return places.flatMap(([lead, end]) =>
    [0, 1, 3].flatMap((depth) => {
      const found = clean(nested(`${lead}${secret}${end}`, depth))
      return found.includes(heart) || !found.includes(redacted)
        ? [`${JSON.stringify(lead)} ${JSON.stringify(end)} ${depth}`]
        : []
    })
  )
}

const lineOf = (value: Schema.Json): string =>
  encodeLine(settled("x", value), { seq: 1, at: "now", before: firstSum }, { write: makeSafeJson([]) }).text

describe.each(Object.entries(secrets))("a secret of the form %s", (_, secret) => {
  it("is in no line of a journal", () => {
    expect(leaks(secret, lineOf)).toEqual([])
  })

  it("is in no text that is printed", () => {
    expect(leaks(secret, redactText)).toEqual([])
  })

  it("is in no name of a field", () => {
    expect(JSON.stringify(redact({ [`TOKEN ${secret}`]: { [secret]: 1 } }))).toBe(
      `{"TOKEN ${redacted}":{"${redacted}":1}}`
    )
  })
})

describe("a value of a secret variable", () => {
  const value = 'p"a\\ss\nw0rd ü'
  const own = makeValueRedaction([value])

  it("is in no value, as it is, in JSON, and in JSON within JSON", () => {
    for (const depth of [0, 1, 2]) {
      const clean = { text: nested(`before ${redacted} after`, depth) }
      expect(own({ text: nested(`before ${value} after`, depth) })).toEqual(clean)
      expect(makeSafeJson([value])({ text: nested(`before ${value} after`, depth) })).toBe(JSON.stringify(clean))
    }
  })
})

describe("a line of a journal without its secrets", () => {
  it.each(Object.values(secrets))("is a line still", (secret) => {
    const texts = before.map((lead) => nested(`${lead}${secret}`, 2))
    const json = JSON.stringify(redact({ type: "settled", key: "x", value: texts }))
    expect(linesOf([json])[0]?.json).toEqual(JSON.parse(json))
  })

  it.each([
    `Authorization: Bearer\n\t${body}`,
    `authorization\n:\tbasic\r\n${body}`,
    `https://name:${body}\u0001@host`,
    `https:\\/\\/name:${body}@host`,
    `-----BEGIN RSA PRIVATE KEY-----\n${`${body.slice(0, 30)}\n`.repeat(600)}-----END RSA PRIVATE KEY-----`
  ])("lacks what is a secret although JSON escapes what stands in it", (text) => {
    expect(makeSafeJson([])({ text })).toBe(JSON.stringify(redact({ text })))
    expect(redact({ text })).not.toEqual({ text })
  })

  it("is as it was without any", () => {
    const value = { a: [1, null, true, "text", { "": "ä" }], b: "sk-short", c: "https://a.b/c" }
    expect(redact(value)).toEqual(value)
  })
})
