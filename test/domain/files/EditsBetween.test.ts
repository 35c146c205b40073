import { assert, expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { editsBetween, editText } from "../../../src/domain/files/TextEdit.ts"

const applied = (before: string, after: string) =>
  Result.getOrUndefined(editText({ path: "a.txt", text: before, mayQuote: true }, editsBetween(before, after)))

/** All texts of so many lines of these. */
const texts = (lines: number): ReadonlyArray<string> =>
  lines === 0 ? [""] : ["a", "b", "  a"].flatMap((line) => texts(lines - 1).map((rest) => `${line}\n${rest}`))

it("makes a replacement for each place, with lines around it where the lines alone occur twice", () => {
  const before = "a\nx\nb\nc\nd\nx\ne\n"
  expect(editsBetween(before, "a\nx\nb\nc\nd\ny\ne\n")).toEqual([{ oldText: "d\nx\ne", newText: "d\ny\ne" }])
  expect(editsBetween(before, "a\nx\nB\nc\nD\nx\ne\n")).toEqual([
    { oldText: "b", newText: "B" },
    { oldText: "d", newText: "D" }
  ])
  expect(editsBetween(before, before)).toEqual([])
})

it("gives the second text when they are made in the first", () => {
  const all = [1, 2, 3, 4].flatMap(texts)
  for (const before of all) {
    for (const after of all) if (before !== after) assert.strictEqual(applied(before, after), after)
  }
})
