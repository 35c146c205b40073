/**
 * Every form of a secret at every border, as it is and written into JSON, within JSON or not: in values before they become
 * lines of a journal, and in texts that are printed. Everything around the secret stays.
 */
import { describe, expect, it } from "@effect/vitest"
import { makeRedaction, makeSafeJson, makeValueRedaction, redacted } from "../../../src/domain/text/Redaction.ts"
import { body, secrets } from "../../support/SecretForms.ts"

const redact = makeValueRedaction([])
const redactText = makeRedaction([])

/** What may stand directly before a secret. */
const before = [
  ..."\n\t\b\f\v\0\r !\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~¡é語。\u00A0\u2028\uFEFF\u200B",
  ...String.raw`\n \t \r\n \\n \\\\t \u000a \u001b[32m \x0a \x1b[32m \033[0m \e[0m %20 %0A TOKEN= --token=`.split(" "),
  ...`https://a.example/b?key= https://a.example/b?c=d&key= https://a.example/# {"key":" {'key':' <token>`.split(" "),
  ...["", "\r\n", "\n\n", "line\n\t", "before\t"].concat(["before\n", "\u001b[0m", "\u001b[32m", "\u001b[1;31m"]),
  ...`export API_KEY=;export API_KEY=";API_KEY: ;--token ;X-Api-Key: ;Authorization: token ;curl -H 'X-Api-Key: ;- ;0: `.split(
    ";"
  )
]
/** What may stand directly behind one. */
const after = [..."\n\t \"'`,;)}\\<", "", " after", "</token>", "\\n", "\u001b[0m", "&a=b"]

const nested = (text: string, depth: number): string =>
  depth === 0 ? text : JSON.stringify({ at: 1, text: nested(text, depth - 1) })

const safeJson = makeSafeJson([])

/** The borders at which a text holds the secret still, or lacks something else. */
const wrong = (secret: string, clean: (text: string) => string, expected: (text: string) => string) =>
  [
    ...before.flatMap((lead) => ["", " after"].map((end) => [lead, end] as const)),
    ...after.flatMap((end) => ["", "before "].map((lead) => [lead, end] as const))
  ].flatMap(([lead, end]) =>
    [0, 1, 3]
      .filter((depth) => {
        const [given, cleaned] = [secret, redacted].map((text) => nested(`${lead}${text}${end}`, depth))
        return clean(given ?? "") !== expected(cleaned ?? "")
      })
      .map((depth) => [lead, end, depth])
  )

describe.each(Object.entries(secrets))("a secret of the form %s", (_, secret) => {
  it("is in no value of a journal", () => {
    const inJournal = wrong(
      secret,
      (text) => safeJson({ text }),
      (text) => JSON.stringify({ text })
    )
    expect(inJournal).toEqual([])
  })

  it("is in no text that is printed, nor twice", () => {
    expect(wrong(secret, redactText, (text) => text)).toEqual([])
    expect(redactText(`${secret}\n${secret}`)).toBe(`${redacted}\n${redacted}`)
  })

  it("is in no name of a field", () => {
    expect(JSON.stringify(redact({ [`TOKEN ${secret}`]: { [secret]: 1 } }))).toBe(
      `{"TOKEN ${redacted}":{"${redacted}":1}}`
    )
  })
})

const value = 'p"a\\ss\nw0rd ü'
const own = makeValueRedaction([value])

it("a value of a secret variable is in no value, as it is, in JSON, and in JSON within JSON", () => {
  for (const depth of [0, 1, 2]) {
    const clean = { text: nested(`before ${redacted} after`, depth) }
    expect(own({ text: nested(`before ${value} after`, depth) })).toEqual(clean)
    expect(makeSafeJson([value])({ text: nested(`before ${value} after`, depth) })).toBe(JSON.stringify(clean))
  }
})

it.each([
  `Authorization: Bearer\n\t${body}`,
  `authorization\n:\tbasic\r\n${body}`,
  `https://name:${body}\u0001@host`,
  `https:\\/\\/name:${body}@host`,
  `-----BEGIN RSA PRIVATE KEY-----\n${`${body.slice(0, 30)}\n`.repeat(600)}-----END RSA PRIVATE KEY-----`
])("a value of a journal lacks what is a secret although JSON escapes what stands in it", (text) => {
  expect(safeJson({ text })).toBe(JSON.stringify(redact({ text })))
  expect(redact({ text })).not.toEqual({ text })
})

it("a value of a journal is as it was without any", () => {
  const value = { a: [1, null, true, "text", { "": "ä" }], b: "sk-short", c: "https://a.b/c" }
  expect(redact(value)).toEqual(value)
})
