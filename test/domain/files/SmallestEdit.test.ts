import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/testing/FastCheck"
import * as Result from "effect/Result"
import { smallestEdit } from "../../../src/domain/files/SmallestEdit.ts"
import { editText } from "../../../src/domain/files/TextEdit.ts"

const applied = (before: string, after: string): string | undefined => {
  const edit = smallestEdit(before, after)
  if (edit === undefined) return before
  if (edit.oldText === "") return after
  return Result.getOrUndefined(editText({ path: "a", text: before, mayQuote: true }, [edit]))
}

describe("the smallest edit", () => {
  it("removes whole lines with their line ends", () => {
    assert.strictEqual(applied("a\n  b\n  c\nd\n", "a\nd\n"), "a\nd\n")
    assert.strictEqual(applied("a\nb", "a"), "a")
  })

  it("gives the second text when it is made in the first", () => {
    const text = FastCheck.array(FastCheck.constantFrom("", "a", "b", "  a"), { maxLength: 8 }).map((lines) =>
      lines.join("\n")
    )
    FastCheck.assert(
      FastCheck.property(text, text, (before, after) => {
        assert.strictEqual(applied(before, after), after)
      }),
      { numRuns: 3000 }
    )
  })
})
