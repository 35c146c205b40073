import { assert, describe, it } from "@effect/vitest"
import { printable } from "../../../src/domain/text/Printable.ts"
import {
  cutLine,
  cutText,
  lineText,
  lineWidth,
  shownWidth,
  textWidth,
  wrapLine,
  wrapText
} from "../../../src/domain/text/TextWidth.ts"

it.each<readonly [text: string, columns: number]>([
  ["", 0],
  ["plain, with 1 blank", 19],
  ["é ñ ø ß", 7],
  ["Ж λ א ع", 7],
  ["→ … “x” ±", 9],
  ["☎ ♥ ✓", 5],
  ["ｶﾅ", 2],
  ["e\u0301\u0323", 1],
  ["a\u20dd", 1],
  ["नि", 2],
  ["日本語", 6],
  ["かな カナ", 9],
  ["한글", 4],
  ["ＡＢ（）", 8],
  ["〈〉《》、。", 12],
  ["𠀀𪜀", 4],
  ["👍🎉", 4],
  ["⌚⚡✅", 6],
  ["🇳🇴", 2]
])("textWidth finds that %j takes %i columns", (text, columns) => assert.strictEqual(textWidth(text), columns))

it("textWidth knows the wide characters of newer scripts and symbols", () => {
  for (const wide of ["𗀀", "𘠀", "𛀀", "\u{1d360}", "䷀", "☰", "🈚", "🉠"])
    assert.deepStrictEqual([printable(wide), textWidth(wide)], [wide, 2])
})

describe("wrapText", () => {
  it("breaks between words, indents what goes on, and lets it stand below the words of an item", () => {
    assert.strictEqual(wrapText("  one two three\nfour", 11), "  one two\n    three\nfour")
    assert.strictEqual(wrapText("  one two three", undefined), "  one two three")
    assert.strictEqual(wrapText("- one two three\n  10. one two", 12), "- one two\n  three\n  10. one\n      two")
  })

  it("leaves a word that is wider than the terminal whole", () => {
    const lines = ["see", "  src/a/very/long/path.ts", "  now"]
    assert.deepStrictEqual(wrapLine("see src/a/very/long/path.ts now", 10, "  "), lines)
  })

  it("counts columns and not characters, and no colours", () => {
    assert.deepStrictEqual(wrapLine("検索 検索 検索", 9, ""), ["検索 検索", "検索"])
    const red = "\u001b[31mone two\u001b[39m three"
    assert.strictEqual(shownWidth(red), 13)
    assert.deepStrictEqual(wrapLine(red, 13, ""), [red])
    assert.deepStrictEqual(wrapLine(red, 12, ""), ["\u001b[31mone two\u001b[39m", "three"])
  })

  it("never makes a line wider than the terminal that could be narrower", () => {
    for (let columns = 5; columns < 60; columns += 1) {
      for (const line of wrapLine("a bb ccc dddd 検索 ee \u001b[2mfff\u001b[22m gg", columns, "  ")) {
        assert.isAtMost(shownWidth(line), Math.max(columns, 7))
      }
    }
  })
})

const cutTo = (text: string, ...widths: ReadonlyArray<number>) => widths.map((columns) => cutText(text, columns))

it("cutting ends with a sign, and never in the middle of a wide character", () => {
  assert.deepStrictEqual(cutTo("one two", 7, 6), ["one two", "one..."])
  assert.deepStrictEqual(cutTo("検索検索", 7, 6), ["検索...", "検..."])
  assert.deepStrictEqual(cutTo("abc", 2), ["ab"])
})

it("cutting of a styled line keeps the styles of what is left", () => {
  const line = [{ text: "▸ ", style: "cyan" as const }, { text: "Search" }, { text: " · 3 s", style: "dim" as const }]
  for (let columns = 1; columns < 20; columns += 1) {
    const cut = cutLine(line, columns)
    assert.isAtMost(lineWidth(cut), columns)
    assert.isTrue(columns >= 14 ? cut === line : lineWidth(cut) >= columns - 3, lineText(cut))
  }
  assert.strictEqual(lineText(cutLine(line, 8)), "▸ Sea...")
  assert.strictEqual(lineText(cutLine(line, 11)), "▸ Search...")
})
