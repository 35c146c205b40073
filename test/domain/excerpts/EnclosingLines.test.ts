import { expect, it } from "@effect/vitest"
import {
  blockBelow,
  declarationLines,
  enclosingLines,
  enclosingNames
} from "../../../src/domain/excerpts/EnclosingLines.ts"

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

const python =
  "import os\n\n@cached\ndef load(path):\n    if path:\n        return path\n\n    return None\n\nx = 1".split("\n")

const markdown = ["# A", "a", "## B", "b", "````", "# no", "```", "````", "### C", "c", "## D", "d"]

const flat = ["int load()", "{", "if (a)", "{", "return 1;", "}", "return 2;", "}", "", "int other()", "{", "}"]

const nested = ["class A {", "  /** b */", "  b() {", "    return 1", "  }", "", "  c = 2", "}", "d()"]
const rangeText = ({ from, to }: { readonly from: number; readonly to: number }) => `${from}-${to}`
const declared = (from: number, to: number) => declarationLines(nested, "typescript")({ from, to })

it.each([
  [code, "typescript", 6, [3, 10]],
  [code, "typescript", 10, [3, 10]],
  [code, "typescript", 19, [12, 21]],
  [python, "python", 6, [3, 8]],
  [markdown, "markdown", 6, [3, 10]],
  [markdown, "markdown", 10, [9, 10]],
  [markdown, "markdown", 12, [11, 12]],
  [flat, "c", 5, [4, 6]],
  [flat, "c", 7, [2, 8]],
  [Array.from({ length: 50 }, String), "text", 25, [15, 35]],
  [["one"], "", 1, [1, 1]],
  [["def f():", "    a", "b = 1"], "python", 2, [1, 2]],
  [["def f():", "    a", "b = 1"], "python", 3, [1, 3]],
  [["# A", "a", "# B", "b"], "markdown", 2, [1, 2]],
  [["a", "", "###### A", "a"], "markdown", 1, [1, 2]],
  [["# A", "## B", "b", "### C", "c", "# D"], "markdown", 3, [2, 5]],
  [["case a in", "  x) y", "esac", "z"], "shell", 3, [1, 3]],
  [["x", "f(", "  a", ")", "", "g(", "  b", ")", "y"], "typescript", 8, [6, 8]],
  [["// of b", "b {", "  c", "}"], "typescript", 3, [1, 4]],
  [["b {c", "d", "} e", "{ f", "}"], "other", 2, [1, 3]],
  [["f {", "  a", "}", ...Array.from({ length: 20 }, () => "b")], "csv", 2, [1, 12]],
  [["f {", "  a", "}", ...Array.from({ length: 20 }, () => "b")], "text", 2, [1, 12]],
  [["f {", "  a", "}", ...Array.from({ length: 20 }, () => "b")], "go", 2, [1, 3]],
  [["f {", ...Array.from({ length: 78 }, () => "  a"), "}", "b"], "go", 2, [1, 80]],
  [["f {", ...Array.from({ length: 79 }, () => "  a"), "}", "b"], "go", 2, [1, 12]]
] as const)("finds the block in %#", (lines, language, line, [from, to]) => {
  expect(enclosingLines(lines, language)(line)).toEqual({ from, to })
})

it("takes the part of a method when the class is too long", () => {
  const methods = Array.from({ length: 100 }, (_, index) => [`  m${index}() {`, `    x${index}`, "  }"]).flat()
  expect(enclosingLines(["class A {", ...methods, "}"], "typescript")(150)).toEqual({ from: 149, to: 151 })
})

it.each([
  [["a(", "  b", ")", ")"], 2],
  [["function f(", "  a", ")", "{", "  b", "}", "}"], 5],
  [["if (a) {", "  b", "} else {", "  c", "}", "}"], 4],
  [["if (a)", "{", "  b", "}", "{"], 4],
  [["a", "  b", "", "  c", "", "d"], 3],
  [["a:", "d"], 0],
  [["a", "}"], 0],
  [["a {", "}"], 1],
  [["a", "#if B", "  c"], 0]
] as const)("ends the block in %#", (lines, end) => {
  expect(blockBelow(lines, 0, 80)).toBe(end)
})

it("goes on behind what stands at the margin of C, and ends where a block is too long", () => {
  const lines = ["a {", "  b", "#if B", "out:", "  c", "}", "#endif", "int d"]
  expect([blockBelow(lines, 0, 80, true), blockBelow(lines, 0, 80)]).toEqual([5, 1])
  const long = ["a", ...Array.from({ length: 20 }, () => "  b")]
  expect([blockBelow(long, 0, 5), blockBelow(long, 0, 20)]).toEqual([6, 20])
})

it("is the widest block of at most so many lines", () => {
  const nested = ["a {", "  b {", "    c", "  }", "  d", "}"]
  const at = (most: number) => enclosingLines(nested, "typescript")(3, most)
  expect([at(6), at(5), at(3)].map(rangeText)).toEqual(["1-6", "2-4", "2-4"])
  expect(enclosingLines(markdown, "markdown")(6, 3)).toEqual({ from: 5, to: 7 })
})

it("has ten lines on each side where there is no block, and fewer where so many are too many", () => {
  const lines = Array.from({ length: 50 }, String)
  const at = (line: number, most?: number) => enclosingLines(lines, "text")(line, most)
  const ranges = [at(25), at(3), at(48), at(25, 9), at(25, 8)]
  expect(ranges.map(rangeText)).toEqual(["15-35", "1-13", "38-50", "21-29", "22-28"])
})

it("is the innermost declaration around lines, with its comments", () => {
  const ranges = [declared(4, 4), declared(3, 5), declared(4, 7), declared(9, 9)]
  expect(ranges.map((range) => range && rangeText(range))).toEqual(["2-5", "2-5", "1-8", undefined])
})

it.each(["c", "cpp", "cuda", "objectivec", "go"])("goes on behind the margin of %s", (language) => {
  const lines = ["int f()", "{", "  a();", "out:", "  b();", "}"]
  const all = [{ index: 0, depth: 0, name: "f" }]
  const end = language === "go" ? 3 : 6
  expect(declarationLines(lines, language, all)({ from: 3, to: 3 })).toEqual({ from: 1, to: end })
})

it("is named by its two innermost declarations, or the heading above", () => {
  const deep = ["class A {", "  b() {", "    function c() {", "      return 1", "    }", "  }", "}"]
  const names = enclosingNames(deep, "typescript")
  expect([names(3), names(2), names(1), names(0)]).toEqual(["b.c", "A.b", "A", ""])
  const heading = `# ${"x".repeat(58)}`
  const texts = ["a", heading, "b", `${heading}y`, "c"]
  const headings = enclosingNames(texts, "markdown")
  expect([headings(0), headings(1), headings(2), headings(4)]).toEqual(["", "", heading, `${heading}...`])
})
