import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { enclosingLines } from "../../../src/domain/excerpts/EnclosingLines.ts"

const code = [
  "import x from 'x'", // 1
  "",
  "/** Loads. */", // 3
  "export const load = (path) => {", // 4
  "  if (path) {", // 5
  "    return read(path)", // 6
  "  }", // 7
  "", // 8
  "  return none", // 9
  "}", // 10
  "", // 11
  "export class Shop {", // 12
  "  #tea = 1", // 13
  "", // 14
  "  @logged", // 15
  "  sell(", // 16
  "    count", // 17
  "  ) {", // 18
  "    return count", // 19
  "  }", // 20
  "}" // 21
]

const python = [
  "import os",
  "",
  "@cached",
  "def load(path):",
  "    if path:",
  "        return path",
  "",
  "    return None",
  "",
  "x = 1"
]

const markdown = ["# A", "a", "## B", "b", "````", "# no", "```", "````", "### C", "c", "## D", "d"]

const flat = ["int load()", "{", "if (a)", "{", "return 1;", "}", "return 2;", "}", "", "int other()", "{", "}"]

describe("enclosingLines", () => {
  it.each([
    [code, "typescript", 6, [3, 10]],
    [code, "typescript", 4, [3, 10]],
    [code, "typescript", 10, [3, 10]],
    [code, "typescript", 19, [12, 21]],
    [python, "python", 6, [3, 8]],
    [python, "python", 4, [3, 8]],
    [markdown, "markdown", 6, [3, 10]],
    [markdown, "markdown", 10, [9, 10]],
    [markdown, "markdown", 12, [11, 12]],
    [flat, "c", 5, [4, 6]],
    [flat, "c", 7, [2, 8]],
    [Array.from({ length: 50 }, String), "text", 25, [15, 35]],
    [["one"], "", 1, [1, 1]]
  ] as const)("finds the block in %#", (lines, language, line, [from, to]) => {
    expect(enclosingLines(lines, language)(line)).toEqual({ from, to })
  })

  it("takes the part of a method when the class is too long", () => {
    const lines = [
      "class A {",
      ...Array.from({ length: 100 }, (_, index) => `  m${index}() {\n    x${index}\n  }`),
      "}"
    ].flatMap((one) => one.split("\n"))
    expect(enclosingLines(lines, "typescript")(150)).toEqual({ from: 149, to: 151 })
  })

  const Line = Schema.Literals([
    "a {",
    "  b",
    "    c()",
    "}",
    "  }",
    "",
    "# h",
    "```",
    "def f():",
    "// c",
    "\t{ }",
    "日本\r"
  ])
  it.effect.prop(
    "always holds the line, has no line that is not there, and is not longer than asked",
    {
      lines: Schema.Array(Line).check(Schema.isMinLength(1), Schema.isMaxLength(150)),
      language: Schema.Literals(["typescript", "python", "markdown", "text"]),
      at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1000 })),
      most: Schema.Int.check(Schema.isBetween({ minimum: 3, maximum: 90 }))
    },
    ({ at, language, lines, most }) =>
      Effect.sync(() => {
        const asked = (at % lines.length) + 1
        const { from, to } = enclosingLines(lines, language)(asked, most)
        expect(from >= 1 && from <= asked && asked <= to && to <= lines.length).toBe(true)
        expect(to - from + 1).toBeLessThanOrEqual(most)
      })
  )
})
