import { assert, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { editText, smallestEdit } from "../../../src/domain/files/TextEdit.ts"

const applied = (before: string, after: string): string | undefined => {
  const edit = smallestEdit(before, after)
  if (edit === undefined) return before
  if (edit.oldText === "") return after
  return Result.getOrUndefined(editText({ path: "a", text: before, mayQuote: true }, [edit]))
}

/** All texts of up to so many lines of these. */
const texts = (lines: number): ReadonlyArray<string> =>
  lines === 0 ? [""] : ["", "a", "b", "  a"].flatMap((line) => texts(lines - 1).map((rest) => `${line}\n${rest}`))

it("the smallest edit removes whole lines with their line ends", () => {
  assert.strictEqual(applied("a\n  b\n  c\nd\n", "a\nd\n"), "a\nd\n")
  assert.strictEqual(applied("a\nb", "a"), "a")
})

it("the smallest edit gives the second text when it is made in the first", () => {
  const all = [0, 1, 2, 3].flatMap(texts)
  for (const before of all) for (const after of all) assert.strictEqual(applied(before, after), after)
})
