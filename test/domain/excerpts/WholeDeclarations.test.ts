/** Which declarations around chosen lines are shown whole, and what stands for the others. */
import { assert, it } from "@effect/vitest"
import { wholeDeclarations } from "../../../src/domain/excerpts/WholeDeclarations.ts"
import { gapText } from "../../../src/domain/models/OutputCut.ts"

const functionOf = (name: string, count: number) => [
  `function ${name}() {`,
  ...Array.from({ length: count - 2 }, (_, at) => `  call(${at})`),
  "}"
]

/** What is shown of these lines of a TypeScript source. */
const shown = (lines: ReadonlyArray<string>, indexes: ReadonlyArray<number>, budget = 4000) =>
  wholeDeclarations({ lines, language: "typescript" }, indexes, { budget, gap: gapText })

/** The numbers of the shown lines. */
const numbers = (...given: Parameters<typeof shown>) =>
  [...shown(...given).text.matchAll(/^(\d+):/gm)].map(([, line]) => Number(line))

it("shows a declaration whole if it fits, and else only names its lines", () => {
  assert.strictEqual(numbers(functionOf("a", 80), [0], 1300).length, 80)
  const long = shown(functionOf("a", 81), [0], 1100)
  assert.strictEqual(long.text, "")
  assert.deepStrictEqual(long.tooLong, [{ index: 0, name: "a", depth: 0, from: 1, to: 81 }])
})

it("shows the declarations in the given order as long as they fit, and then none in part", () => {
  const lines = [...functionOf("a", 20), ...functionOf("b", 20), ...functionOf("c", 10)]
  assert.deepStrictEqual([numbers(lines, [20, 0, 40], 550).at(0), numbers(lines, [20, 0, 40], 550).at(-1)], [21, 50])
  assert.deepStrictEqual(
    shown(lines, [20, 0, 40], 550).tooLong.map(({ name }) => name),
    ["a"]
  )
})

it("shows three lines on each side of a line in a long declaration, or outside of all", () => {
  assert.deepStrictEqual(numbers(functionOf("a", 200), [99], 2000), [97, 98, 99, 100, 101, 102, 103])
  const plain = Array.from({ length: 20 }, (_, at) => `call(${at})`)
  assert.deepStrictEqual(numbers(plain, [0]), [1, 2, 3, 4])
  const inside = functionOf("a", 200).with(99, "  const one = 1")
  assert.deepStrictEqual(numbers(inside, [99], 2000), [97, 98, 99, 100, 101, 102, 103])
})

it("leaves out comments of three lines and more", () => {
  const lines = ["/**", " * Adds.", " */", "const add = () => {", "  // One.", "  call()", "}", ...functionOf("b", 40)]
  assert.deepStrictEqual(numbers(lines, [3]), [4, 5, 6, 7])
})
