import { expect, it } from "@effect/vitest"
import { existsSync, readFileSync } from "node:fs"
import { mutantsOf } from "../../bench/mutants.ts"
import { namedMutations } from "../../bench/namedMutations.ts"

/** The sources that come of the mutants of a source. */
const mutated = (source: string): ReadonlyArray<string> =>
  mutantsOf("a.ts", source).map(({ end, start, text }) => source.slice(0, start) + text + source.slice(end))

it("changes boundaries, conditions, numbers and what is left out", () => {
  expect(mutated("const isOver = left < most")).toEqual(["const isOver = left <= most"])
  expect(mutated("if (a && !b) run()")).toEqual([
    "if (!(a && !b)) run()",
    "if (a || !b) run()",
    "if (a && b) run()",
    "if (a && !b) ;"
  ])
  expect(mutated("const radii = [1, 3]")).toEqual([
    "const radii = [3]",
    "const radii = [1]",
    "const radii = [2, 3]",
    "const radii = [1, 4]"
  ])
  expect(mutated('all.some((one) => one.startsWith("x"))')).toEqual([
    ";",
    'all.every((one) => one.startsWith("x"))',
    'all.some((one) => one.endsWith("x"))',
    'all.some((one) => one.startsWith(""))'
  ])
})

it("leaves types and sentences alone", () => {
  const source = 'type Kind = 1 | true\nconst text = `There are ${count + 1} more files`\nconst name = "a" + b'
  expect(mutated(source)).toEqual([])
})

it("finds each named change once in the source, with the tests that hold it", () => {
  for (const { file, from, tests } of namedMutations) {
    expect([file, readFileSync(file, "utf8").split(from).length]).toEqual([file, 2])
    expect(tests.filter((test) => !existsSync(test))).toEqual([])
  }
})
