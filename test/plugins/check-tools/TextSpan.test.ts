import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { linesOf, locate, excerptLine } from "../../../src/plugins/check-tools/TextSpan.ts"
import { textWidth } from "../../../src/domain/text/TextWidth.ts"

const lines = linesOf("first\n\t- **References** [a](b)\n  still [c](d)\n{\n  1\n}\n")

describe("locate", () => {
  it("finds the quote in its line, in UTF-16 columns", () => {
    assert.deepStrictEqual(locate(lines, { where: { line: 2 }, quote: "[a](b)" }), {
      line: 2,
      column: 19,
      endLine: 2,
      endColumn: 25
    })
    assert.strictEqual(locate(["👍 x"], { where: { line: 1 }, quote: "x" })?.column, 4)
  })

  it("goes on to the lines after it, where the field continues", () => {
    assert.deepStrictEqual(locate(lines, { where: { line: 2 }, quote: "[c](d)" }), {
      line: 3,
      column: 9,
      endLine: 3,
      endColumn: 15
    })
  })

  it("never takes an earlier line", () => {
    assert.strictEqual(locate(lines, { where: { line: 3 }, quote: "first" })?.line, 3)
  })

  it("covers a quote of several lines as far as it is repeated", () => {
    assert.deepStrictEqual(locate(lines, { where: { line: 3 }, quote: "{\n  1\n}" }), {
      line: 4,
      column: 1,
      endLine: 6,
      endColumn: 2
    })
    assert.strictEqual(locate(lines, { where: { line: 3 }, quote: "{\n  1\nelse" })?.endLine, 5)
    assert.strictEqual(locate(lines, { where: { line: 3 }, quote: "{\nelse" })?.endLine, 4)
  })

  it("takes the line without the blanks around it when there is no quote or it is spelled differently", () => {
    const whole = { line: 2, column: 2, endLine: 2, endColumn: 25 }
    assert.deepStrictEqual(locate(lines, { where: { line: 2 } }), whole)
    assert.deepStrictEqual(locate(lines, { where: { line: 2 }, quote: "[A](B)" }), whole)
  })

  it("looks everywhere without a line, and finds nothing without both", () => {
    assert.strictEqual(locate(lines, { where: {}, quote: "[c](d)" })?.line, 3)
    assert.isUndefined(locate(lines, { where: { section: "Tasks" } }))
    assert.isUndefined(locate(lines, { where: { line: 99 } }))
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
  it("marks the part", () => {
    assert.deepStrictEqual(show("- **Skill** serch", "serch"), [
      "- **Skill** serch", //
      "            ^^^^^"
    ])
  })

  it("marks an empty part, also behind the end", () => {
    assert.deepStrictEqual(excerptLine("ab", 1, 1, 40), { source: "ab", marks: " ^" })
    assert.deepStrictEqual(excerptLine("ab", 2, 2, 40), { source: "ab", marks: "  ^" })
    assert.deepStrictEqual(excerptLine("", 0, 0, 40), { source: "", marks: "^" })
  })

  it("shows a tab as the blanks up to its stop", () => {
    assert.deepStrictEqual(show("\ta\tb", "b"), [
      "    a   b", //
      "        ^"
    ])
  })

  it("counts wide characters twice and combining ones not at all", () => {
    assert.deepStrictEqual(show("日本 👍 x", "x"), [
      "日本 👍 x", //
      "        ^"
    ])
    assert.deepStrictEqual(show("日本", "本"), [
      "日本", //
      "  ^^"
    ])
    assert.deepStrictEqual(show("e\u0301x", "x"), ["e\u0301x", " ^"])
  })

  it("shows what a terminal would obey or hide", () => {
    assert.deepStrictEqual(show("\u001b[31mx", "x"), [
      String.raw`\u{1b}[31mx`, //
      "          ^"
    ])
  })

  it("cuts a long line around the part", () => {
    const line = `${"a ".repeat(50)}HERE${" b".repeat(50)}`
    assert.deepStrictEqual(show(line, "HERE"), ["... a a a a a a a HERE b b b b b b b ...", "                  ^^^^"])
    assert.deepStrictEqual(show(`HERE${" b".repeat(50)}`, "HERE"), ["HERE b b b b b b b b b b b b b b b b ...", "^^^^"])
    assert.deepStrictEqual(show(`${"a ".repeat(50)}HERE`, "HERE"), [
      "... a a a a a a a a a a a a a a a a HERE",
      "                                    ^^^^"
    ])
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
