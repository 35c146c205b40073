import { assert, expect, it } from "@effect/vitest"
import { cutLine, LineChoice, packLines } from "../../../src/domain/excerpts/Packing.ts"

const gap = (from: number, to: number): string => `(${from} to ${to} left out)`
const rows = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `row number ${index}`)

it("packLines reserves one note for each run that is left out, and none for lines that join one", () => {
  const lines = rows(40)
  const budget = "row number 00\n".length * 10 + 2 * (gap(38, 39).length + 9) - 1
  const packed = packLines(lines, budget, gap, (choice) => choice.addEach([20, 19, 21, 18, 22, 17, 23, 16, 24, 15, 25]))
  expect(packed.text.split("\n").slice(1, -1)).toEqual(lines.slice(15, 25))
})

it("packLines shows lines that are shorter than the note about them", () => {
  const packed = packLines(["a", "b", "c"], 100, gap, (choice) => choice.add([0]))
  expect(packed).toMatchObject({ text: "a\nb\nc", shown: new Set([0, 1, 2]) })
  expect(packLines(rows(9), 0, gap, (choice) => choice.add([0]))).toMatchObject({ text: gap(0, 8), isEmpty: true })
})

it("a long line is cut from 401 characters on", () => {
  assert.strictEqual(cutLine("x".repeat(400)), "x".repeat(400))
  assert.strictEqual(cutLine("x".repeat(401)), `${"x".repeat(400)}... (401 characters)`)
})

it("a long line is shown from 100 characters before the first of the texts that it holds", () => {
  const line = `${"a".repeat(300)}Limit${"b".repeat(600)}other`
  assert.strictEqual(cutLine(line, ["none", "limit", "other"]), `...${line.slice(200, 600)}... (910 characters)`)
  assert.strictEqual(cutLine(line, ["other", "limit"]), `...${line.slice(510)}... (910 characters)`)
  assert.strictEqual(cutLine(`${"a".repeat(100)}limit${"b".repeat(400)}`, ["limit"]).slice(0, 3), "aaa")
  assert.strictEqual(cutLine(`${"a".repeat(101)}limit${"b".repeat(400)}`, ["limit"]).slice(0, 4), "...a")
  assert.strictEqual(cutLine(line), `${line.slice(0, 400)}... (910 characters)`)
})

/** Ten lines of ten characters, with notes of five; `budget` has no note in it. */
const choiceOf = (budget: number): LineChoice =>
  new LineChoice(
    Array.from({ length: 10 }, () => 10),
    5,
    budget + 5
  )

it("a choice of lines has a note for the gap before each run but the first line, and none for a gap that it closes", () => {
  const cases: ReadonlyArray<readonly [ReadonlyArray<number>, number]> = [
    [[0], 10],
    [[0, 1], 20],
    [[1], 15],
    [[1, 2, 3], 35],
    [[1, 3], 30],
    [[0, 2], 25],
    [[9], 10],
    [[], 0]
  ]
  for (const [lines, cost] of cases) {
    assert.isTrue(choiceOf(cost).add(lines), `${lines} in ${cost}`)
    if (cost > 0) assert.isFalse(choiceOf(cost - 1).add(lines), `${lines} in ${cost - 1}`)
    const choice = choiceOf(100)
    choice.add(lines)
    assert.strictEqual(choice.budgetLeft, 100 - cost)
  }
})

it("a choice of lines takes all lines or none, and none twice", () => {
  const choice = choiceOf(40)
  assert.isTrue(choice.add([2, 3]))
  assert.isFalse(choice.add([5, 6]))
  assert.deepStrictEqual([[...choice.lines], choice.budgetLeft], [[2, 3], 15])
  assert.isTrue(choice.add([2, 3]))
  assert.isTrue(choice.add([3, 4]))
  assert.deepStrictEqual([[...choice.lines], choice.budgetLeft], [[2, 3, 4], 5])
})
