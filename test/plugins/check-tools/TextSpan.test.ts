import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { linesOf, locate, excerptLine } from "../../../src/plugins/check-tools/TextSpan.ts"
import { textWidth } from "../../../src/domain/text/TextWidth.ts"

const lines = linesOf("first\n\t- **References** [a](b)\n  still [c](d)\n{\n  1\n}\n")

type Span = readonly [line: number, column: number, endLine: number, endColumn: number]

describe("locate", () => {
  const spans: ReadonlyArray<
    readonly [what: string, line: number | undefined, quote: string | undefined, at: Span | undefined]
  > = [
    ["the quote in its line", 2, "[a](b)", [2, 19, 2, 25]],
    ["a quote in the lines after it, where the field continues", 2, "[c](d)", [3, 9, 3, 15]],
    ["never an earlier line", 3, "first", [3, 3, 3, 15]],
    ["a quote of several lines", 3, "{\n  1\n}", [4, 1, 6, 2]],
    ["two lines of a quote of which those are repeated", 3, "{\n  1\nelse", [4, 1, 5, 4]],
    ["one line of a quote of which that is repeated", 3, "{\nelse", [4, 1, 4, 2]],
    ["the line without the blanks around it when there is no quote", 2, undefined, [2, 2, 2, 25]],
    ["the line when the quote is spelled differently", 2, "[A](B)", [2, 2, 2, 25]],
    ["a quote everywhere when there is no line", undefined, "[c](d)", [3, 9, 3, 15]],
    ["nothing without both", undefined, undefined, undefined],
    ["nothing in a line that is not there", 99, undefined, undefined]
  ]
  it.each(spans)("finds %s", (_, line, quote, at) => {
    const found = locate(lines, {
      where: line === undefined ? { section: "Tasks" } : { line },
      ...(quote === undefined ? {} : { quote })
    })
    assert.deepStrictEqual(found && ([found.line, found.column, found.endLine, found.endColumn] as const), at)
  })

  it("counts in UTF-16", () => {
    assert.strictEqual(locate(["👍 x"], { where: { line: 1 }, quote: "x" })?.column, 4)
  })
})

it("counts lines as the readers do", () => {
  assert.deepStrictEqual(linesOf("\uFEFFa\r\nb\rc\n"), ["a", "b", "c", ""])
})

const show = (line: string, part: string, width = 40): ReadonlyArray<string> => {
  const start = line.indexOf(part)
  const { marks, source } = excerptLine(line, start, start + part.length, width)
  return [source, marks]
}

describe("excerptLine", () => {
  const longLine = `${"a ".repeat(50)}HERE${" b".repeat(50)}`
  it.each<readonly [what: string, line: string, part: string, source: string, marks: string]>([
    ["marks the part", "- **Skill** serch", "serch", "- **Skill** serch", "            ^^^^^"],
    ["shows a tab as the blanks up to its stop", "\ta\tb", "b", "    a   b", "        ^"],
    ["counts wide characters twice", "日本 👍 x", "x", "日本 👍 x", "        ^"],
    ["marks wide characters twice", "日本", "本", "日本", "  ^^"],
    ["counts combining characters not at all", "e\u0301x", "x", "e\u0301x", " ^"],
    ["shows what a terminal would obey", "\u001b[31mx", "x", String.raw`\u{1b}[31mx`, "          ^"],
    ["cuts both ends", longLine, "HERE", "... a a a a a a a HERE b b b b b b b ...", "                  ^^^^"],
    ["cuts the end", longLine.slice(100), "HERE", "HERE b b b b b b b b b b b b b b b b ...", "^^^^"],
    [
      "cuts the start",
      longLine.slice(0, 104),
      "HERE",
      "... a a a a a a a a a a a a a a a a HERE",
      "                                    ^^^^"
    ]
  ])("%s", (_, line, part, source, marks) => {
    assert.deepStrictEqual(show(line, part), [source, marks])
  })

  it("marks an empty part, also behind the end", () => {
    assert.deepStrictEqual(excerptLine("ab", 1, 1, 40), { source: "ab", marks: " ^" })
    assert.deepStrictEqual(excerptLine("ab", 2, 2, 40), { source: "ab", marks: "  ^" })
    assert.deepStrictEqual(excerptLine("", 0, 0, 40), { source: "", marks: "^" })
  })

  it("shows the start of a part that is wider than the line", () => {
    const [source = "", marks = ""] = show(`${"a".repeat(60)}${"B".repeat(200)}`, "B".repeat(200))
    assert.strictEqual(source, `...${"a".repeat(8)}${"B".repeat(26)}...`)
    assert.strictEqual(marks, `${" ".repeat(11)}${"^".repeat(26)}`)
  })

  it("takes no time for a line of megabytes", () => {
    const line = `${"x".repeat(2_000_000)}HERE${"y".repeat(2_000_000)}`
    assert.strictEqual(show(line, "HERE")[0]?.length, 40)
  })

  it.effect.prop(
    "never exceeds the width, whatever the line",
    { line: Schema.String, start: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 })) },
    ({ line, start }) =>
      Effect.sync(() => {
        const { marks, source } = excerptLine(line, Math.min(start, line.length), line.length, 20)
        assert.isAtMost(textWidth(source), 20)
        assert.match(marks, /^ *\^+$/)
      })
  )
})
