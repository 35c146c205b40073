import { describe, expect, it } from "@effect/vitest"
import { makeRedaction, redacted, secretValues } from "../../../src/domain/text/Redaction.ts"

const redact = makeRedaction(
  secretValues({ API_TOKEN: 'a"quoted\\one', SECRET_PATH: "/home/a", KEYBOARD: "qwerty", PATH: "x" })
)
const inJson = (text: string): string => JSON.parse(redact(JSON.stringify({ text }))).text

describe("what is kept", () => {
  it.each([
    `sk-${"a".repeat(40)}`,
    `ghp_${"a".repeat(36)}`,
    `npm_${"a".repeat(36)}`,
    "AKIAABCDEFGHIJKLMNOP",
    "xoxb-1234567890-abc",
    `eyJ${"a".repeat(20)}.eyJ${"b".repeat(20)}.${"c".repeat(20)}`,
    "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
    'a"quoted\\one'
  ])("holds no key or token: %s", (secret) => {
    expect(inJson(`before ${secret} after`)).toBe(`before ${redacted} after`)
  })

  it("keeps what stands around a token or a password", () => {
    expect(inJson("Authorization: Bearer abcdefghijklmnopqrst")).toBe(`Authorization: Bearer ${redacted}`)
    expect(inJson("https://me:pa55@host/x")).toBe(`https://me:${redacted}@host/x`)
  })

  it.each(["a key=value", "/home/a", "qwerty", "http://a.b/c?d=e", "the skill sk-1", "git@github.com:a/b.git"])(
    "is everything else: %s",
    (text) => {
      expect(inJson(text)).toBe(text)
    }
  )

  it("takes time that grows with the text", () => {
    const start = performance.now()
    redact(JSON.stringify("-----BEGIN PRIVATE KEY-----https://a:".repeat(20_000)))
    expect(performance.now() - start).toBeLessThan(5000)
  })
})
