import { assert, describe, it } from "@effect/vitest"
import { codeSpan } from "../../../src/domain/markdown/PromptBlock.ts"

describe("codeSpan", () => {
  it.each([
    { text: "plain", span: "`plain`" },
    { text: "log(`id`) of ``b``", span: "``` log(`id`) of ``b`` ```" },
    { text: "a ` b", span: "``a ` b``" },
    { text: "`", span: "`` ` ``" }
  ])("holds $text", ({ span, text }) => {
    assert.strictEqual(codeSpan(text), span)
  })
})
