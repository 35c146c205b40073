import { assert, describe, it } from "@effect/vitest"
import { linesOf, locate } from "../../../src/domain/checking/TextSpan.ts"

const lines = linesOf("first\n\t- **References** [a](b)\n  still [c](d)\n{\n  1\n}\n")

describe("locate", () => {
  it("finds the quote in its line, in UTF-16 columns", () => {
    assert.deepStrictEqual(locate(lines, { where: { line: 2 }, quote: "[a](b)" }), {
      line: 2,
      column: 19,
      endLine: 2,
      endColumn: 25
    })
    assert.strictEqual(locate(["👍 x"], { where: { line: 1 }, quote: "x" })?.column, 4)
  })

  it("goes on to the lines after it, where the field continues", () => {
    assert.deepStrictEqual(locate(lines, { where: { line: 2 }, quote: "[c](d)" }), {
      line: 3,
      column: 9,
      endLine: 3,
      endColumn: 15
    })
  })

  it("never takes an earlier line", () => {
    assert.strictEqual(locate(lines, { where: { line: 3 }, quote: "first" })?.line, 3)
  })

  it("covers a quote of several lines as far as it is repeated", () => {
    assert.deepStrictEqual(locate(lines, { where: { line: 3 }, quote: "{\n  1\n}" }), {
      line: 4,
      column: 1,
      endLine: 6,
      endColumn: 2
    })
    assert.strictEqual(locate(lines, { where: { line: 3 }, quote: "{\n  1\nelse" })?.endLine, 5)
    assert.strictEqual(locate(lines, { where: { line: 3 }, quote: "{\nelse" })?.endLine, 4)
  })

  it("takes the line without the blanks around it when there is no quote or it is spelled differently", () => {
    const whole = { line: 2, column: 2, endLine: 2, endColumn: 25 }
    assert.deepStrictEqual(locate(lines, { where: { line: 2 } }), whole)
    assert.deepStrictEqual(locate(lines, { where: { line: 2 }, quote: "[A](B)" }), whole)
  })

  it("looks everywhere without a line, and finds nothing without both", () => {
    assert.strictEqual(locate(lines, { where: {}, quote: "[c](d)" })?.line, 3)
    assert.isUndefined(locate(lines, { where: { section: "Tasks" } }))
    assert.isUndefined(locate(lines, { where: { line: 99 } }))
  })
})

it("counts lines as the readers do", () => {
  assert.deepStrictEqual(linesOf("\uFEFFa\r\nb\rc\n"), ["a", "b", "c", ""])
})
