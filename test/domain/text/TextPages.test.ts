import { assert, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { pagesOf, textWidth } from "../../../src/domain/text/TextWidth.ts"

it.each<[what: string, text: string, columns: number, pages: ReadonlyArray<string>]>([
  ["a text that fits", "a\nb\n", 10, ["a\nb\n"]],
  ["long lines", `${"x".repeat(11)}\nb`, 10, [`${"x".repeat(11)}\n`, "b\n"]],
  ["wide lines", `${"\u6f22".repeat(6)}\nb`, 10, [`${"\u6f22".repeat(6)}\n`, "b\n"]],
  ["tabs", "\tabc\nb", 10, ["\tabc\n", "b\n"]],
  ["a line that is longer than a page", "abcdefgh", 2, ["ab\ncd\n", "ef\ngh\n"]]
])("the pages of two rows hold %s", (_, text, columns, pages) => {
  assert.deepStrictEqual(pagesOf(text, { columns, rows: 2 }), pages)
})

const part = Schema.Literals(["a", "word ", "\u6f22", "\n", "x".repeat(30)])
const text = Arbitrary.array(Arbitrary.schema(part), { maxLength: 40 })

it.prop("pages lose nothing and are never too high", { text }, ({ text: parts }) => {
  const [whole, size] = [parts.join(""), { columns: 12, rows: 4 }]
  const pages = pagesOf(whole, size)
  const rows = (page: string) =>
    page
      .slice(0, -1)
      .split("\n")
      .reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / size.columns)), 0)
  assert.strictEqual(pages.join("").replaceAll("\n", ""), whole.replaceAll("\n", ""))
  return pages.every((page) => rows(page) <= size.rows)
})
