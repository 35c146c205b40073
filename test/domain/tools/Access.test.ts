import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { canonicalUrl } from "../../../src/domain/tools/Access.ts"

describe("canonicalUrl", () => {
  const accepted: ReadonlyArray<[text: string, canonical: string]> = [
    ["HTTPS://Example.COM:443/a/../b#c", "https://example.com/b"],
    ["http://2130706433/", "http://127.0.0.1/"],
    ["http://exämple.com", "http://xn--exmple-cua.com/"]
  ]
  for (const [text, canonical] of accepted) {
    it(`reads ${text} as ${canonical}`, () => {
      assert.deepStrictEqual(canonicalUrl(text), Result.succeed(canonical))
    })
  }

  it("rejects other schemes, relative URLs and user names", () => {
    assert.deepStrictEqual(
      ["file:///etc/passwd", "/a", "javascript:1", "https://ana:secret@example.com/"].map(canonicalUrl),
      [
        Result.fail('"file:///etc/passwd" is not an http or https URL. Give a complete one.'),
        Result.fail('"/a" is not an http or https URL. Give a complete one.'),
        Result.fail('"javascript:1" is not an http or https URL. Give a complete one.'),
        Result.fail("The URL of example.com holds a user name or password. Give it without.")
      ]
    )
  })
})
