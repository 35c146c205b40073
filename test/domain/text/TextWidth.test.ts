import { assert, describe, it } from "@effect/vitest"
import { printable } from "../../../src/domain/text/Printable.ts"
import { textWidth } from "../../../src/domain/text/TextWidth.ts"

describe("textWidth", () => {
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
  ])("finds that %j takes %i columns", (text, columns) => assert.strictEqual(textWidth(text), columns))

  it("knows the wide characters of newer scripts and symbols", () => {
    const wide = ["𗀀", "𘠀", "𛀀", "\u{1d360}", "䷀", "☰", "🈚", "🉠"]
    assert.deepStrictEqual(
      wide.map((character) => [printable(character), textWidth(character)]),
      wide.map((character) => [character, 2])
    )
  })
})
