import { assert, describe, expect, it } from "@effect/vitest"
import {
  nearestFiles,
  relatedPlaces,
  reviewedDeclarations,
  reviewedFiles
} from "../../../src/domain/documents/SelfReview.ts"
import type { ProposedFile } from "../../../src/domain/files/ProposedFile.ts"

const numbered = (count: number, mark: string): string =>
  Array.from({ length: count }, (_, index) => `${mark}(${index})`).join("\n")

const added = (count: number, path = "src/a.ts"): ProposedFile => ({
  path,
  base: "begin()\n",
  text: `begin()\n${numbered(count, "step")}\n`
})

const functions = (mark: string) =>
  Array.from({ length: 10 }, (_, index) => `function shelf${index}() {\n  ${mark}(${index})\n}`).join("\n")

const file = (index: number) => ({
  path: `src/${index}.ts`,
  text: 'import { shelf } from "./a.ts"\nput(shelf)\nfill(shelf)\nclear(shelf)\n'
})

it("a change is worth a review from four lines of source code on", () => {
  const counts = [[added(3)], [added(4)], [added(2), added(2, "src/b.ts")], [added(9, "a.test.ts"), added(9, "a.md")]]
  expect(counts.map((files) => reviewedFiles(files).length)).toStrictEqual([0, 1, 2, 0])
})

it("a change has at most eight names whose uses are looked for", () => {
  assert.lengthOf(reviewedDeclarations([{ path: "src/a.ts", base: functions("sell"), text: functions("buy") }]), 8)
})

const shelf: ProposedFile = {
  path: "src/a.ts",
  base: "export const shelf = () => {\n  sell()\n}\n",
  text: "export const shelf = () => {\n  buy()\n}\n"
}

const arms = (name: string) =>
  ["a", "b", "c", "d"].map((arm) => `    case ${arm}:\n      ${name === arm ? "buy" : "sell"}()\n`)

const switching = (name: string) => `export const shelf = (x) => {\n  switch (x) {\n${arms(name).join("")}  }\n}\n`

describe("the places that belong to a change", () => {
  it("are two lines of a file but for imports, and five in all", () => {
    assert.deepStrictEqual(relatedPlaces([shelf], [file(1)]), [
      "- src/1.ts:2: put(shelf) (uses `shelf`)",
      "- src/1.ts:3: fill(shelf) (uses `shelf`)"
    ])
    assert.lengthOf(relatedPlaces([shelf], [file(1), file(2), file(3)]), 5)
  })

  it("leave room for two other branches of the changed condition", () => {
    const condition = { path: "src/a.ts", base: switching(""), text: switching("b") }
    const places = relatedPlaces([condition], [file(1), file(2), file(3)])
    assert.lengthOf(places, 5)
    const branches = ["- src/a.ts:7: case c: (another branch)", "- src/a.ts:3: case a: (another branch)"]
    assert.deepStrictEqual(places.slice(-2), branches)
  })

  it("show 120 characters of each", () => {
    const long = { path: "src/b.ts", text: `import { shelf } from "./a"\nshelf(${"x".repeat(200)})` }
    const [place = ""] = relatedPlaces([shelf], [long])
    assert.lengthOf(place, "- src/b.ts:2: ".length + 120 + " (calls `shelf`)".length)
  })

  it("are looked for in the nearest files first", () => {
    const files = nearestFiles(["a/b/c.ts"], ["x/y.ts", "a/x.ts", "a/b/d/e.ts", "a/bc.ts"])
    assert.deepStrictEqual(files, ["a/b/d/e.ts", "a/x.ts", "a/bc.ts", "x/y.ts"])
  })
})
