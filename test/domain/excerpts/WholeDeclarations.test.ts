import { assert, it } from "@effect/vitest"
import { wholeDeclarations } from "../../../src/domain/excerpts/WholeDeclarations.ts"
import { gapText } from "../../../src/domain/models/OutputCut.ts"

const functionOf = (name: string, count: number) => [
  `function ${name}() {`,
  ...Array.from({ length: count - 2 }, (_, at) => `  call(${at})`),
  "}"
]

const shown = (lines: ReadonlyArray<string>, indexes: ReadonlyArray<number>, budget = 4000) =>
  wholeDeclarations({ lines, language: "typescript" }, indexes, { budget, gap: gapText })

const numbers = (...given: Parameters<typeof shown>) =>
  [...shown(...given).text.matchAll(/^(\d+):/gm)].map(([, line]) => Number(line))

it("shows declarations whole in the given order as long as they fit, and else only names their lines", () => {
  const lines = [...functionOf("a", 20), ...functionOf("b", 20), ...functionOf("c", 10)]
  const { text, tooLong } = shown(lines, [20, 0, 40], 550)
  assert.deepStrictEqual([text.includes("\n21:"), text.includes("\n50:")], [true, true])
  assert.deepStrictEqual(tooLong, [{ index: 0, name: "a", depth: 0, from: 1, to: 20 }])
})

it("shows three lines on each side of a line in a long declaration, or outside of all, but no long comment", () => {
  const around = [97, 98, 99, 100, 101, 102, 103]
  assert.deepStrictEqual(numbers(functionOf("a", 200), [99], 2000), around)
  assert.deepStrictEqual(numbers(functionOf("a", 200).with(99, "  const one = 1"), [99], 2000), around)
  assert.deepStrictEqual(
    numbers(["/**", " * Adds two numbers, or two texts.", " */", ...Array(20).fill("call()")], [3]),
    [4, 5, 6, 7]
  )
})
