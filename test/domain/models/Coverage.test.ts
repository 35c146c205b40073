import { assert, it } from "@effect/vitest"
import { percentOf, coverageOf } from "../../../src/domain/models/Coverage.ts"

const cut = {
  href: "a.ts",
  path: "a.ts",
  first: 1,
  lines: ["const a = 1", "const b = 2", "", "const c = 3", "const d = 4"],
  shownLines: new Set([0]),
  longestLine: 200
}

it.each([
  ["what the prompt shows", [], 25],
  ["what a reading tool gave, with numbers", ["2: const b = 2"], 50],
  ["what a search found", ["a.ts:4: const c = 3"], 50],
  ["what a program printed", ["exit code 0\nconst a = 1\nconst b = 2\n\nconst c = 3\nconst d = 4"], 100]
])("how much of a reference was seen counts %s", (_, later, percent) => {
  assert.strictEqual(percentOf(coverageOf(cut, later).share), percent)
})

it("how much of a reference was seen counts lines, and no blank ones", () => {
  const { of, seen } = coverageOf(cut, ["2: const b = 2"])
  assert.deepStrictEqual([seen, of], [2, 4])
})
