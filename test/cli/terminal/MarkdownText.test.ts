import { assert, it } from "@effect/vitest"
import { makePaint } from "../../../src/cli/terminal/Colour.ts"
import { markdownText } from "../../../src/cli/terminal/MarkdownText.ts"

const style = (columns: number | undefined, coloured = false) => ({
  paint: makePaint(coloured),
  columns,
  isUnicode: true
})

const shown = (markdown: string, columns?: number) => markdownText(markdown, style(columns)).split("\n")

it("has headings, lists, code and quotes without their marks", () => {
  assert.deepStrictEqual(
    shown(
      "## Found ##\n\nOne\ntwo  \nthree\n- a\n  goes on\n  - b\n2. c\n\n```js\n# no *heading*\n```\n> quoted **text**\n\n---"
    ),
    [
      "Found",
      "",
      "One two",
      "three",
      "• a goes on",
      "  • b",
      "2. c",
      "",
      "    # no *heading*",
      "│ quoted text",
      "",
      "─".repeat(40)
    ]
  )
})

it("has links that can be followed, and files with their lines", () => {
  const cases = [
    ["[src/a.ts:3](src/a.ts#L3)", "src/a.ts:3"],
    ["[src/a.ts](src/a.ts#L3-L9)", "src/a.ts:3"],
    ["[`src/a.ts#L3`](./src/a.ts#L3)", "src/a.ts:3"],
    ["the [limits](<my notes.md#L12>) say", "the limits (my notes.md:12) say"],
    ["[a b.md](a%20b.md)", "a b.md"],
    ["[page](https://example.com/a_(b)?c=1#L3)", "page (https://example.com/a_(b)?c=1#L3)"],
    ["<https://example.com/>", "https://example.com/"],
    ["[part](#part)", "part"],
    ["[broken](%E0%A4%A)", "broken (%E0%A4%A)"],
    ["no [link] (here)", "no [link] (here)"]
  ] as const
  for (const [markdown, text] of cases) {
    assert.deepStrictEqual(shown(markdown), [text])
  }
})

it("keeps signs that are no marks", () => {
  for (const text of ["2 * 3 * 4", "snake_case_name", "a < b > c", "5 ** 2", "C:\\path", "~~~", "a | b"]) {
    assert.deepStrictEqual(shown(`x ${text} y`), [`x ${text} y`])
  }
  assert.deepStrictEqual(shown("\\*not emphasis\\*, *emphasis*, **bold _x_**, `` a`b ``"), [
    "*not emphasis*, emphasis, bold _x_, a`b"
  ])
})

it("is broken between words, with lists hanging, and code and tables as they are", () => {
  assert.deepStrictEqual(shown("- one two three four\n10. one two three\n\n```\none two three four five\n```", 16), [
    "• one two three",
    "  four",
    "10. one two",
    "    three",
    "",
    "    one two three four five"
  ])
  assert.deepStrictEqual(shown("| a long cell | b |\n|---|---|\n| c | d |", 12), [
    "| a long cell | b |",
    "|---|---|",
    "| c | d |"
  ])
})

it("has no power over the terminal, whatever the model wrote", () => {
  const hostile = "a\u001b[2Jb `c\u009b31m` [d\u202e](e\u0007.md)\n```\n\u001b]0;x\u0007\n```"
  const text = markdownText(hostile, style(80, true))
  const left = text.replaceAll(/\p{Cc}\[\d+m/gu, "").replaceAll("\n", "")
  assert.notMatch(left, /[\p{Cc}\p{Bidi_Control}]/u)
})

it("paints what has a style", () => {
  assert.strictEqual(
    markdownText("# A\n\n`b` **c**", style(80, true)),
    "\u001b[1mA\u001b[22m\n\n\u001b[36mb\u001b[39m \u001b[1mc\u001b[22m"
  )
})

it("takes long text in a moment", () => {
  for (const text of ["[", "*", "`", "[a](", "**a "])
    assert.isAbove(markdownText(`x ${text.repeat(20_000 / text.length)}`, style(80)).length, 0)
})
