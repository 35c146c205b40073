import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { mayBeUntidy, tidyNewText } from "../../../src/domain/files/NewText.ts"
import { editText } from "../../../src/domain/files/TextEdit.ts"
import { cpuTime } from "../../support/cpuTime.ts"

const file = 'const a = 1\nconst b = "x"\n\nexport const sum = a + 1\n'

/** A case: a new text for a place of the file, what becomes of it, and how many kinds of damage were left out. */
type Case = { readonly text: string; readonly becomes: string } & Partial<
  Record<"path" | "old", string> & { readonly base: string | null; readonly left: number }
>

const kept = (text: string, more: Partial<Case> = {}): Case => ({ text, becomes: text, ...more })
/** One kind of damage is left out. */
const mended = (old: string, text: string, becomes: string, more: Partial<Case> = {}): Case => ({
  old,
  text,
  becomes,
  left: 1,
  ...more
})

const cases: Readonly<Record<string, Case>> = {
  "a blank at the end of a line": mended("const a = 1", "const a = 2 ", "const a = 2"),
  "blanks at the ends of lines": mended("const a = 1\n", "a()  \n \nb()\t\n", "a()\n\nb()\n"),
  "no blank behind a part of a line": kept("let ", { old: "const ", base: "const a = 1\n" }),
  "no blank in a file that has such": kept("a = 2 ", { old: "a = 1", base: "a = 1 \nb = 2\n", path: "a.py" }),
  "no two blanks of markdown": kept("one  \ntwo\n", { old: "one\n", base: "one\nthree\n", path: "a.md" }),
  "no blank of a new file": kept("a = 1 \n", { base: null }),
  "other line ends of a whole file": { base: "a\r\nb\r\n", text: "a\nc\r\n", becomes: "a\r\nc\r\n", left: 1 },
  "line ends of two kinds in a new file": { base: null, text: "a\r\nb\n", becomes: "a\nb\n", left: 1 },
  "no line ends of two kinds in a new text": kept("a\r\nb\n", { path: "a.txt", base: null }),
  "no line ends of a new file": kept("a\r\nb\r\n", { base: null }),
  "no line ends where the file has both": kept("a\r\nc\n", { base: "a\r\nb\n" }),
  "a byte order mark": mended("const a = 1", "\ufeffconst a = 2", "const a = 2"),
  "invisible characters": mended("const a = 1", "const\u200b a = \u2060 2", "const a =  2"),
  "no joiner in an emoji": kept('const a = "\u{1f468}\u200d\u{1f4bb}"', { old: "const a = 1" }),
  "no invisible character that the file has": kept("a\u200bc", { old: "a", base: "a\u200bb\na\n" }),
  "typographic quotes around a text": mended("const a = 1", "“a” + ‘b’ // it’s “c”", "\"a\" + 'b' // it’s “c”"),
  "full-width signs in code": mended("const a = 1", 'const a = f（1，"（"）；', 'const a = f(1,"（");'),
  "a wide blank in code": mended("const a = 1", "const\u00a0a = 2", "const a = 2"),
  "no signs within a string": kept('const a = "“one” – two"', { old: "const a = 1" }),
  "no signs in a text of another script": kept("首先（一），然后", { old: "const a = 1" }),
  "no quotes in markdown": kept("“one” – two", { old: "one", base: "one\n", path: "a.md" }),
  "no quotes that the file has": kept("a “two”", { old: "a", base: "a “one”\na\n" }),
  "a dash that the old text was given too": mended("a = b – 1", "a = b – 2", "a = b - 2", { base: "a = b - 1\n" }),
  "no dash that is new": kept("const a = 2 // two – three", { old: "const a = 1" }),
  "marks at the end": mended("const a = 1", "const a = 2\n>>>>>>> NEW", "const a = 2"),
  "marks at the beginning": mended("const a = 1\n", "=======\nconst a = 2\n", "const a = 2\n"),
  "no pair of marks": kept("<<<<<<< OLD\na\n=======\nb\n>>>>>>> NEW\n", { old: "const a = 1\n" }),
  "no line of a heading": kept("Title\n=======\n", { old: "x\n", base: "x\n", path: "a.md" }),
  "a fence around the text": mended("const a = 1\n", "```ts\nconst a = 2\n```\n", "const a = 2\n"),
  "a fence at the end": mended("const a = 1\n", "const a = 2\n```\n", "const a = 2\n"),
  "no fences within the text": kept("/*\n```\nf()\n```\n*/\n", { old: "const a = 1\n" }),
  "no fence of markdown": kept("```\nf()\n```\n", { old: "x\n", base: "x\n", path: "a.md" }),
  "numbers of the lines of the place": mended('const a = 1\nconst b = "x"\n', "1: a()\n2: b()\n", "a()\nb()\n"),
  "numbers of a whole file": { base: file, text: "1: a()\n2: b()\n", becomes: "a()\nb()\n", left: 1 },
  "no numbers of other lines": kept("7: const a = 2\n", { old: "const a = 1\n" }),
  "no numbers of data": kept("1: a\n2: b\n", { path: "a.yaml", base: null })
}

describe("a new text loses", () => {
  for (const [what, { base = file, becomes, left = 0, old, path = "src/a.ts", text }] of Object.entries(cases)) {
    it(what, () => {
      const found = tidyNewText({ path, base, newText: text, ...(old === undefined ? {} : { oldText: old }) })
      assert.deepStrictEqual([found.newText, found.removedParts.length, found.problem], [becomes, left, undefined])
      const again = tidyNewText({ path, base, newText: becomes, ...(old === undefined ? {} : { oldText: old }) })
      assert.deepStrictEqual([again.newText, again.removedParts], [becomes, []])
    })
  }
})

it("a new text comes back with a mark in its middle", () => {
  const given = { path: "a.ts", base: file, oldText: "const a = 1\n", newText: "a\n=======\nb\n" }
  const { removedParts, problem } = tidyNewText(given)
  assert.deepStrictEqual([removedParts, problem], [[], "The new text holds marks that make no block."])
})

describe("a long new text", () => {
  for (const part of [" ", "“", "\u200b", '"', "/*", "a’", "=======\n", "```\n", "1: a\n", "\r\n", "\n \n", "a-"]) {
    it(`of many ${JSON.stringify(part)} is read in time`, () => {
      const newText = part.repeat(Math.floor(50_000 / part.length))
      const time = cpuTime(() => {
        mayBeUntidy.test(newText)
        tidyNewText({ path: "a.ts", base: file, oldText: "const a = 1\n", newText })
      })
      assert.isBelow(time, 1500)
    })
  }
})

const edited = (text: string, oldText: string, newText: string): string =>
  Result.getOrElse(editText({ path: "a.ts", text, mayQuote: true }, [{ oldText, newText }]), (problem) => problem)

describe("an old text is found", () => {
  it("with the quotes of a keyboard for typographic ones, and the lines that stay keep theirs", () => {
    assert.strictEqual(edited("It’s “a”.\nB\n", 'It\'s "a".\nB\n', 'It\'s "a".\nC\n'), "It’s “a”.\nC\n")
  })
  it("with an invisible character, a wide blank and another dash", () => {
    assert.strictEqual(edited("a - b\n", "a\u00a0\u2013 \u200bb\n", "a - c\n"), "a - c\n")
  })
  it("not when two lines are alike", () => {
    assert.include(edited('“a”\n‘a’\n"a"x\n“a”\n', '"a"\n', "b\n"), "2 times in a.ts")
  })
})
