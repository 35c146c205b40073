import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readClues, stemOf } from "../../../../src/services/providers/embedded/Clues.ts"

describe("readClues", () => {
  it.each([
    { text: 'Where is `loadUser` called with "strict"?', terms: ["loadUser", "strict"] },
    { text: "How does parse_date() handle MAX_AGE and --no-color?", terms: ["parse_date", "MAX_AGE", "--no-color"] },
    { text: "How do sessions expire?", terms: ["session", "expire"] },
    { text: "How is authentication of the UserStore done?", terms: ["UserStore", "auth"] },
    { text: "Don't tell me what it is.", terms: [] },
    { text: "Wie funktioniert die Übersetzung?", terms: ["funktioniert", "übersetzung", "wie", "die"] }
  ])("finds what to search for in: $text", ({ terms, text }) => {
    assert.deepStrictEqual(readClues(text).terms, terms)
  })

  it.each([
    {
      text: "Compare src/a.ts:12 with `lib/b.py` and README.md.",
      paths: [
        { path: "src/a.ts", line: 12 },
        { path: "lib/b.py", line: undefined },
        { path: "README.md", line: undefined }
      ]
    },
    { text: "See [a](src/a.ts#L7-L9) and [a](src/a.ts).", paths: [{ path: "src/a.ts", line: 7 }] },
    { text: "Look at app/[id]/page.tsx", paths: [{ path: "app/[id]/page.tsx", line: undefined }] },
    { text: "Node.js calls user.save(), e.g. at https://example.org/a.ts", paths: [] }
  ])("finds the files in: $text", ({ paths, text }) => {
    assert.deepStrictEqual(readClues(text).paths, paths)
  })

  it("finds URLs without the full stop behind them, quoted texts and numbers", () => {
    const clues = readClues('See https://example.org/a?b=1. Say "hello, you" 3 times.')
    assert.deepStrictEqual(
      [clues.urls, clues.quoted, clues.numbers],
      [["https://example.org/a?b=1"], ["hello, you"], [3]]
    )
  })

  it.effect.prop("gives every term once and none that is empty", { text: Schema.String }, ({ text }) =>
    Effect.sync(() => {
      const { terms } = readClues(text)
      assert.strictEqual(new Set(terms.map((term) => term.toLowerCase())).size, terms.length)
      assert.isFalse(terms.some((term) => term.trim() === ""))
    })
  )

  it("reads a long line of brackets and dots in no time", () => {
    assert.deepStrictEqual(readClues("[.".repeat(20_000)).paths, [])
    assert.deepStrictEqual(readClues("a/".repeat(20_000)).paths, [])
    assert.deepStrictEqual(readClues("a.".repeat(20_000)).urls, [])
  })
})

describe("stemOf", () => {
  it.each([
    ["loaded", "load"],
    ["planning", "plan"],
    ["calls", "call"],
    ["calling", "call"],
    ["classes", "class"],
    ["process", "process"],
    ["configuration", "config"],
    ["validated", "validat"],
    ["policies", "polic"],
    ["status", "status"]
  ])("shortens %s to %s", (word, stem) => {
    assert.strictEqual(stemOf(word), stem)
  })
})
