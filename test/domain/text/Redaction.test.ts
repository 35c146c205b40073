import { describe, expect, it } from "@effect/vitest"
import { makeRedaction, redacted, secretValues } from "../../../src/domain/text/Redaction.ts"

const redact = makeRedaction(
  secretValues({ API_TOKEN: 'a"quoted\\one', SECRET_PATH: "/home/a", KEYBOARD: "qwerty", PATH: "x" })
)
const inJson = (text: string): string => JSON.parse(redact(JSON.stringify({ text }))).text

/** Put together here, so that no text of this file looks like a secret to a scanner. */
const made = (...parts: ReadonlyArray<string>): string => parts.join("")
const body = "aB3".repeat(40)

const secrets: Readonly<Record<string, string>> = {
  OpenAI: made("sk", "-", "proj-", body.slice(0, 40)),
  Anthropic: made("sk", "-", "ant-api03-", body.slice(0, 90)),
  GitHub: made("gh", "p_", body.slice(0, 36)),
  "GitHub, of an app": made("gh", "s_", body.slice(0, 36)),
  "GitHub, fine-grained": made("github", "_pat_", body.slice(0, 22), "_", body.slice(0, 59)),
  GitLab: made("gl", "pat-", body.slice(0, 20)),
  "GitLab, routable": made("gl", "pat-", body.slice(0, 27), ".01.", "ab3".repeat(3)),
  npm: made("np", "m_", body.slice(0, 36)),
  "Hugging Face": made("h", "f_", body.slice(0, 34)),
  "Stripe, live": made("s", "k_", "live_", body.slice(0, 24)),
  "Stripe, test": made("s", "k_", "test_", body.slice(0, 99)),
  "Stripe, restricted": made("r", "k_", "live_", body.slice(0, 24)),
  "Slack, bot": made("xo", "xb-", "1234567890-", body.slice(0, 24)),
  "Slack, person": made("xo", "xp-", "1234567890-", body.slice(0, 24)),
  "Slack, app": made("xa", "pp-", "1-A0-", body.slice(0, 24)),
  "Google, key": made("AI", "za", body.slice(0, 35)),
  "Google, access": made("ya", "29.", body.slice(0, 60)),
  SendGrid: made("S", "G.", body.slice(0, 22), ".", body.slice(0, 43)),
  DigitalOcean: made("do", "p_v1_", "0a".repeat(32)),
  AWS: made("AK", "IA", "ABCDEFGHIJKLMNOP"),
  "AWS, for a session": made("AS", "IA", "ABCDEFGHIJKLMNOP"),
  JWT: made("ey", "J", body.slice(0, 20), ".ey", "J", body.slice(0, 40), ".", body.slice(0, 43)),
  PEM: made("-----BEGIN ", "RSA PRIVATE KEY-----\n", body, "\n-----END ", "RSA PRIVATE KEY-----"),
  OpenSSH: made("-----BEGIN ", "OPENSSH PRIVATE KEY-----\r\n", body, "\r\n-----END ", "OPENSSH PRIVATE KEY-----"),
  PGP: made("-----BEGIN ", "PGP PRIVATE KEY BLOCK-----\n\n", body, "\n-----END ", "PGP PRIVATE KEY BLOCK-----"),
  "PEM, cut off": made("-----BEGIN ", "PRIVATE KEY-----\n", body.slice(0, 64), "\n", body.slice(0, 50))
}

/** What may stand directly before a secret, or behind it. */
const before = [
  "",
  "before ",
  "before\t",
  "before\n",
  "\r\n",
  '"',
  "'",
  "KEY=",
  "key: ",
  "(",
  "\f",
  "\u001b[32m",
  "\\",
  "/"
]
const after = ["", " after", "\tafter", "\nafter", '"', "'", ")", ", after", "; after", "\u001b[0m", "\\", "<"]

const kept = (texts: ReadonlyArray<readonly [given: string, expected: string]>) =>
  texts.filter(([given, expected]) => inJson(given) !== expected).map(([given]) => [given, inJson(given)])

const inner = (text: string): string => JSON.stringify({ path: "a", text: `one\n${text}\n\ttwo` })

describe.each(Object.entries(secrets))("what is kept holds no secret of the form %s", (_, secret) => {
  it("behind anything that may stand there", () => {
    expect(kept(before.map((lead) => [`${lead}${secret}`, `${lead}${redacted}`]))).toEqual([])
    expect(kept(before.map((lead) => [`${lead}${secret} after`, `${lead}${redacted} after`]))).toEqual([])
  })

  it("before anything that may stand there", () => {
    expect(kept(after.map((end) => [`${secret}${end}`, `${redacted}${end}`]))).toEqual([])
    expect(kept(after.map((end) => [`before ${secret}${end}`, `before ${redacted}${end}`]))).toEqual([])
  })

  it("twice", () => expect(inJson(`${secret}\n${secret}`)).toBe(`${redacted}\n${redacted}`))

  it("in JSON within JSON", () => {
    expect(inJson(inner(secret))).toBe(inner(redacted))
    expect(inJson(inner(inner(secret)))).toBe(inner(inner(redacted)))
  })
})

describe("what is kept", () => {
  it("keeps what stands around a token or a password", () => {
    const word = body.slice(0, 20)
    for (const lead of ["", "\n", "\t", "Host: x\r\n", '"']) {
      for (const kept of [
        "Authorization: Bearer ",
        "Authorization: Basic ",
        "Proxy-Authorization: basic ",
        "Bearer "
      ]) {
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
    "http://a.b/c?d=e",
    "http://localhost:8080/a@b",
    "mailto:a@b.example",
    "git@github.com:a/b.git",
    "the skill sk-1",
    "task-conductor-makes-long-work-reliable",
    "C:\\temp\\risk-assessment-of-a-long-name",
    "sk_live_ begins a key",
    "half_of_everything_in_a_line",
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
