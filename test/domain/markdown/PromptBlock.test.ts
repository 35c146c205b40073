import { assert, it } from "@effect/vitest"
import { codeSpan, nowBlock, withoutNow } from "../../../src/domain/markdown/PromptBlock.ts"

it.each([
  { text: "plain", span: "`plain`" },
  { text: "log(`id`) of ``b``", span: "``` log(`id`) of ``b`` ```" },
  { text: "a ` b", span: "``a ` b``" },
  { text: "`", span: "`` ` ``" }
])("codeSpan holds $text", ({ span, text }) => {
  assert.strictEqual(codeSpan(text), span)
})

it("withoutNow takes off what was to be done, and never a file that is shown", () => {
  const file = "### docs/a.md\n\n```markdown\n## Now\nWe go.\n```"
  assert.strictEqual(withoutNow(`${file}\n\n${nowBlock("Do this.")}`), file)
  assert.strictEqual(withoutNow(file), file)
})
