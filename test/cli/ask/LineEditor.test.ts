import { assert, describe, it } from "@effect/vitest"
import { type EditorState, type Key, newLine, paste, pressKey } from "../../../src/cli/ask/LineEditor.ts"

/** Keys in a short notation: `<C-a>`, `<M-b>`, `<left>`, or characters. */
const keysOf = (typed: string): ReadonlyArray<Key> =>
  Array.from(typed.matchAll(/<(?:([CM])-)?([^<>]+)>|[^]/gu), ([all, modifier, name]) =>
    name === undefined
      ? { name: all, text: all }
      : { name, ctrl: modifier === "C", meta: modifier === "M", ...(name === "undo" ? { text: "\u001f" } : {}) }
  )

const typed = (keys: string, from: EditorState = newLine([])) => {
  let state = from
  const wishes: Array<string> = []
  for (const key of keysOf(keys)) {
    const edited = pressKey(state, key)
    state = edited.state
    if (edited.wish !== undefined) wishes.push(edited.wish)
  }
  return { state, wishes, shown: `${state.text.slice(0, state.cursor)}|${state.text.slice(state.cursor)}` }
}

describe("LineEditor", () => {
  const cases: ReadonlyArray<readonly [keys: string, shown: string]> = [
    ["abc<left><left>x", "ax|bc"],
    ["abc<home>x<end>y", "xabcy|"],
    ["abc<C-a>x<C-e>y", "xabcy|"],
    ["abc<C-b><C-b><C-f>x", "abx|c"],
    ["one two.three<M-b>|", "one two.||three"],
    ["one two<C-left><C-left>x", "x|one two"],
    ["one two<home><M-f>x<C-right>y", "onex twoy|"],
    ["abc<backspace><left><delete>", "a|"],
    ["abc<left><C-d>", "ab|"],
    ["one two.three<C-w>", "one |"],
    ["one two.three<M-backspace>", "one two.|"],
    ["one two three<home><M-d>", "| two three"],
    ["one two<left><left><left><C-k>", "one |"],
    ["one two<left><left><left><C-u>", "|two"],
    ["one two<C-w><C-a><C-y>", "two|one "],
    ["a<M-return>b<C-j>c", "a\nb\nc|"],
    ["a\\<return>b", "a\nb|"],
    ["abc<M-return>de<up>x", "abx|c\nde"],
    ["a<M-return>bcd<up><down>x", "a\nbx|cd"],
    ["a<M-return>b<home>x<C-a><C-u>", "a\n|xb"],
    ["a<M-return>b<up><end><C-k>", "a|b"],
    ["one <C-w><undo>", "one |"],
    ["one<left><left>xy<undo><undo>", "|"],
    ["x<undo><undo>", "|"],
    /* A letter with its mark and an emoji of several parts are one character each. */
    ["e\u0301<backspace>", "|"],
    ["a👩‍👩‍👧b<left><left>x", "ax|👩‍👩‍👧b"],
    ["世界<left><backspace>", "|界"],
    ["<tab>a<escape><f1><C-q>", "\ta|"]
  ]
  it.each(cases)("%j gives %j", (keys, shown) => {
    assert.strictEqual(typed(keys).shown, shown)
  })

  it("says what the person wants, and sends nothing by itself", () => {
    assert.deepStrictEqual(typed("a<return>").wishes, ["send"])
    assert.deepStrictEqual(typed("a<C-c>").wishes, ["interrupt"])
    assert.deepStrictEqual(typed("<C-d>").wishes, ["end"])
    assert.deepStrictEqual(typed("a<C-d>").wishes, [])
    assert.deepStrictEqual(typed("a<C-l>").wishes, ["redraw"])
    assert.deepStrictEqual(typed("a<C-z>").wishes, ["suspend"])
  })

  it("keeps the lines of a paste and drops its control characters", () => {
    const { text } = paste(typed("ab<left>").state, "1\r\n2\r3\n\u001b[31m\u0007x\ty")
    assert.strictEqual(text, "a1\n2\n3\n[31mx\tyb")
  })

  it("shows earlier messages and gives the new one back", () => {
    const begun = newLine(["first", "two\nlines"])
    assert.strictEqual(typed("draft<up>", begun).shown, "two\nlines|")
    assert.strictEqual(typed("draft<up><up><up>", begun).shown, "first|")
    assert.strictEqual(typed("draft<up><up><up><up><up>", begun).shown, "first|")
    assert.strictEqual(typed("draft<up><C-p><C-p><C-n><down>", begun).shown, "draft|")
  })
})
