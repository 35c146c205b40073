import headless from "@xterm/headless"
import { assert, it } from "@effect/vitest"
import { draw, layOut, type LineView, settled } from "../../../src/cli/ask/LineView.ts"

const at = (text: string, columns: number, cursor = text.length, rows = 24) =>
  layOut({ text, cursor }, { columns, rows })

it("breaks rows at the width and keeps the last column free", () => {
  assert.deepStrictEqual(at("abcdefghijkl", 10), { rows: ["> abcdefg", "  hijkl"], row: 1, column: 7 })
  assert.deepStrictEqual(at("abcdefg", 10), { rows: ["> abcdefg"], row: 0, column: 9 })
  assert.deepStrictEqual(at("abcdefgh", 10, 7), { rows: ["> abcdefg", "  h"], row: 1, column: 2 })
  assert.deepStrictEqual(at("a\n\nb", 10), { rows: ["> a", "  ", "  b"], row: 2, column: 3 })
  assert.deepStrictEqual(at("a\nb", 10, 1), { rows: ["> a", "  b"], row: 0, column: 3 })
})

it("gives wide characters two columns, and marks none", () => {
  assert.deepStrictEqual(at("世界世界", 10), { rows: ["> 世界世", "  界"], row: 1, column: 4 })
  assert.deepStrictEqual(at("e\u0301x", 10), { rows: ["> e\u0301x"], row: 0, column: 4 })
})

it("shows what cannot be seen by its number", () => {
  assert.deepStrictEqual(at("a\u202eb\tc", 40).rows, ["> a\\u{202e}b    c"])
})

it("shows the rows around the cursor when the text is longer than the screen", () => {
  const text = Array.from({ length: 50 }, (_, index) => `line ${index + 1}`).join("\n")
  const view = at(text, 40, text.length, 6)
  assert.deepStrictEqual([view.rows.at(-1), view.rows.length, view.row], ["  line 50", 5, 4])
  const top = at(text, 40, 0, 6)
  assert.deepStrictEqual([top.rows[0], top.row], ["> line 1", 0])
  assert.deepStrictEqual(settled(text, { columns: 40, rows: 10 }).rows.slice(-2), ["  line 6", "  (44 more lines)"])
})

/** What a terminal shows after it was given these texts; `resize` changes its width in between. */
const screenOf = async (columns: number, steps: ReadonlyArray<string | number>) => {
  const terminal = new headless.Terminal({ cols: columns, rows: 12, allowProposedApi: true })
  for (const step of steps) {
    if (typeof step === "number") terminal.resize(step, 12)
    else await new Promise<void>((resolve) => terminal.write(step, resolve))
  }
  const { active } = terminal.buffer
  const rows = Array.from({ length: 12 }, (_, row) => active.getLine(row)?.translateToString(true) ?? "")
  return { rows: rows.join("\n").trimEnd(), cursor: [active.cursorY, active.cursorX] }
}

it("draws one view in place of another, also after the terminal became narrower or wider", async () => {
  const before = at("one two three four\nfive", 40, 3)
  const views: ReadonlyArray<LineView> = [before, at("one", 40), at("one two three four five six seven", 24)]
  const written = views.map((view, index) => draw(view, views[index - 1], 40))
  const { cursor, rows } = await screenOf(40, ["above\r\n", ...written])
  assert.strictEqual(rows, "above\n> one two three four fi\n  ve six seven")
  assert.deepStrictEqual(cursor, [2, 14])
  const narrow = at("one two three four\nfive", 12, 23)
  const resized = await screenOf(40, [
    "above\r\n",
    draw(at("one two three four\nfive", 40), undefined, 40),
    12,
    draw(narrow, at("one two three four\nfive", 40), 12)
  ])
  assert.strictEqual(resized.rows, "above\n> one two t\n  hree four\n  five")
})
