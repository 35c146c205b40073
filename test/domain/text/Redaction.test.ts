import { describe, expect, it } from "@effect/vitest"
import { makeRedaction, makeSafeJson, redacted, secretValues } from "../../../src/domain/text/Redaction.ts"
import { body } from "../../support/SecretForms.ts"

const redact = makeRedaction(
  secretValues({ API_TOKEN: 'a"quoted\\one', SECRET_PATH: "/home/a", KEYBOARD: "qwerty", PATH: "x" })
)
const inJson = (text: string): string => JSON.parse(redact(JSON.stringify({ text }))).text

describe("what is kept", () => {
  it("keeps what stands around a token or a password", () => {
    const word = body.slice(0, 20)
    for (const lead of ["", "\n", "\t", "Host: x\r\n", '"']) {
      for (const kept of ["Authorization: Bearer ", "Proxy-Authorization: basic ", "Bearer "]) {
        expect(inJson(`${lead}${kept}${word}\nafter`)).toBe(`${lead}${kept}${redacted}\nafter`)
      }
      for (const kept of ["https://me:", "https://:", "postgres://me.you+x:", "git+ssh://me:", "db_https:\\/\\/me:"]) {
        expect(inJson(`${lead}${kept}pa55:w0rd@host/x`)).toBe(`${lead}${kept}${redacted}@host/x`)
      }
    }
    expect(inJson(`{"authorization":"Basic ${word}"}`)).toBe(`{"authorization":"Basic ${redacted}"}`)
  })

  it.each([
    "a key=value",
    "/home/a",
    "qwerty",
    "http://localhost:8080/a@b",
    "git@github.com:a/b.git",
    "the skill sk-1",
    "task-conductor-makes-long-work-reliable",
    "C:\\temp\\risk-assessment-of-a-long-name",
    "sk_live_ begins a key",
    "MSG.text.of_something_long_enough.and_of_something_longer_still",
    "Basic responsibilities of a maintainer",
    "A file with -----BEGIN PRIVATE KEY----- is not read.",
    "-----BEGIN PUBLIC KEY-----\nabc\n-----END PUBLIC KEY-----"
  ])("is everything else: %s", (text) => {
    expect(inJson(text)).toBe(text)
  })

  it("holds no value of a secret variable", () => {
    expect(inJson('before a"quoted\\one after')).toBe(`before ${redacted} after`)
  })

  it.each(["-----BEGIN PRIVATE KEY-----https://a:", "eyJ-eyJ", "ya29.", "://a:", "Authorization: Bearer "])(
    "is found in time that grows with the text: %s",
    (part) => {
      const text = JSON.stringify(part.repeat(500_000 / part.length))
      expect(redact(text)).toBe(text)
    }
  )
})

it("secrets that become known later are taken out from then on, also of JSON", () => {
  let known: ReadonlyArray<string> = []
  const later = makeRedaction(() => known)
  const json = makeSafeJson(() => known)
  expect(later("the value one-more-secret")).toBe("the value one-more-secret")
  known = ["one-more-secret", 'with "quotes" in it']
  expect(later("the value one-more-secret")).toBe(`the value ${redacted}`)
  expect(json({ a: 'with "quotes" in it' })).toBe(JSON.stringify({ a: redacted }))
})
