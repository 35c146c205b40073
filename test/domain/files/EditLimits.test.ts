/**
 * The limits that decide about edits: on each side of every one of them the decision is another.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { lossOf } from "../../../src/domain/files/NewText.ts"
import { editText } from "../../../src/domain/files/TextEdit.ts"

const edit = (text: string, oldText: string, newText: string): string =>
  Result.merge(editText({ path: "a.ts", text, mayQuote: true }, [{ oldText, newText }]))

const lines = (count: number, word = "line"): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `${word} number ${index}`)

const lossCode = (before: ReadonlyArray<string>, after: ReadonlyArray<string>) =>
  lossOf({ path: "a.js", oldText: before.join("\n"), newText: after.join("\n") }, false)?.code

const lineOf = (same: number, different: number, sign: string): string => "a".repeat(same) + sign.repeat(different)

/** A line that stands for others. */
const omission = (length: number): string => `${`// ... rest of the ${"code ".repeat(50)}`.slice(0, length - 1)}e`

describe("the limits of edits", () => {
  it("find a cut line by at least 8 of its characters", () => {
    assert.strictEqual(edit("12345678 = one\n", "12345678...\n", "x\n"), "x\n")
    assert.include(edit("1234567 = one\n", "1234567...\n", "x\n"), "does not occur")
  })

  it("recognize a new text of at least 10 characters that the file has already", () => {
    assert.include(edit("1234567890\n", "gone\n", "1234567890\n"), "is already there")
    assert.notInclude(edit("123456789\n", "gone\n", "123456789\n"), "is already there")
  })

  it("name the nearest line from 60 % of likeness on", () => {
    assert.include(edit(lineOf(60, 40, "b"), lineOf(60, 40, "c"), "x"), "Line 1 is nearest")
    assert.include(edit(lineOf(59, 41, "b"), lineOf(59, 41, "c"), "x"), "No line is similar")
  })

  it("compare the first 200 characters of a line", () => {
    assert.include(edit(lineOf(120, 280, "b"), lineOf(120, 280, "c"), "x"), "Line 1 is nearest")
    assert.include(edit(lineOf(119, 281, "b"), lineOf(119, 281, "c"), "x"), "No line is similar")
  })

  it("quote at most 15 of the nearest lines", () => {
    const text = lines(20).join("\n")
    assert.include(edit(text, text.replaceAll("line", "lime"), "x"), "Lines 1 to 15 are nearest")
  })

  it("show two lines around each of several places", () => {
    const problem = edit([...lines(9), "same", ...lines(9, "other"), "same", ...lines(9)].join("\n"), "same", "x")
    assert.deepStrictEqual(
      problem.match(/^\d+: (?!same)/gm),
      [8, 9, 11, 12, 18, 19, 21, 22].map((line) => `${line}: `)
    )
  })

  it("count up to 1,000 places", () => {
    assert.include(edit("a\n".repeat(1000), "a", "b"), "occurs 1000 times")
    assert.include(edit("a\n".repeat(1001), "a", "b"), "occurs more than 1000 times")
  })

  it("take a new text for a part of a file of at least 12 lines", () => {
    assert.strictEqual(lossCode(lines(12), lines(4)), "change-open")
    assert.isUndefined(lossCode(lines(11), lines(4)))
  })

  it("take a new text with more than 60 % of the lines for the whole file", () => {
    assert.strictEqual(lossCode(lines(20), lines(12)), "change-open")
    assert.isUndefined(lossCode(lines(20), lines(13)))
  })

  it("take a new text for a part of the file if half of its lines are those of the file", () => {
    assert.strictEqual(lossCode(lines(20), [...lines(5), ...lines(5, "new")]), "change-open")
    assert.isUndefined(lossCode(lines(20), [...lines(4), ...lines(5, "new")]))
  })

  it("take a line of up to 200 characters for one that stands for others", () => {
    assert.strictEqual(lossCode(lines(3), [...lines(3), omission(200)]), "change-elided")
    assert.isUndefined(lossCode(lines(3), [...lines(3), omission(201)]))
  })
})
