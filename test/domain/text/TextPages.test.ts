import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { pagesOf } from "../../../src/domain/text/TextWidth.ts"
import { textWidth } from "../../../src/domain/text/TextWidth.ts"

describe("pagesOf", () => {
  it("leaves a text that fits on one page", () => {
    assert.deepStrictEqual(pagesOf("a\nb\n", { columns: 10, rows: 2 }), ["a\nb\n"])
  })

  it("counts the rows that long, wide and tabbed lines take", () => {
    const size = { columns: 10, rows: 2 }
    assert.deepStrictEqual(pagesOf(`${"x".repeat(11)}\nb`, size), [`${"x".repeat(11)}\n`, "b\n"])
    assert.deepStrictEqual(pagesOf(`${"\u6f22".repeat(6)}\nb`, size), [`${"\u6f22".repeat(6)}\n`, "b\n"])
    assert.deepStrictEqual(pagesOf("\tabc\nb", size), ["\tabc\n", "b\n"])
  })

  it("breaks a line that is longer than a page", () => {
    assert.deepStrictEqual(pagesOf("abcdefgh", { columns: 2, rows: 2 }), ["ab\ncd\n", "ef\ngh\n"])
  })

  const part = Schema.Literals(["a", "word ", "\u6f22", "\n", "x".repeat(30)])
  const text = Arbitrary.array(Arbitrary.schema(part), { maxLength: 40 })
  it.prop("loses nothing and never makes a page too high", { text }, ({ text: parts }) => {
    const whole = parts.join("")
    const size = { columns: 12, rows: 4 }
    const pages = pagesOf(whole, size)
    const rows = (page: string) =>
      page
        .slice(0, -1)
        .split("\n")
        .reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / size.columns)), 0)
    assert.strictEqual(pages.join("").replaceAll("\n", ""), whole.replaceAll("\n", ""))
    return pages.every((page) => rows(page) <= size.rows)
  })
})
