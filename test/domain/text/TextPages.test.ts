import { assert, it } from "@effect/vitest"
import { pagesOf } from "../../../src/domain/text/TextWidth.ts"

it.each<[what: string, text: string, columns: number, pages: ReadonlyArray<string>]>([
  ["a text that fits", "a\nb\n", 10, ["a\nb\n"]],
  ["long lines", `${"x".repeat(11)}\nb`, 10, [`${"x".repeat(11)}\n`, "b\n"]],
  ["wide lines", `${"\u6f22".repeat(6)}\nb`, 10, [`${"\u6f22".repeat(6)}\n`, "b\n"]],
  ["tabs", "\tabc\nb", 10, ["\tabc\n", "b\n"]],
  ["a line that is longer than a page", "abcdefgh", 2, ["ab\ncd\n", "ef\ngh\n"]]
])("the pages of two rows hold %s", (_, text, columns, pages) => {
  assert.deepStrictEqual(pagesOf(text, { columns, rows: 2 }), pages)
})
