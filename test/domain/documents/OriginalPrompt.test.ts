import { assert, describe, it } from "@effect/vitest"
import { originalPrompt } from "../../../src/domain/documents/OriginalPrompt.ts"

describe("originalPrompt", () => {
  it.each([
    ["## Original prompt\n\nFind dead code.\n\n## Tasks\n", "Find dead code."],
    ["## Original Prompt:\n\n```text\nFind\n\ndead code.\n```\n\n## Tasks\n", "Find\n\ndead code."],
    ["## Original prompt\n\n## Tasks\n", undefined],
    ["# A plan\n", undefined]
  ])("reads %j", (markdown, expected) => {
    assert.strictEqual(originalPrompt(markdown), expected)
  })
})
