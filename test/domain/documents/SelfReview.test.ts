import { assert, describe, it } from "@effect/vitest"
import { reviewedFiles, reviewedNames, usesOf } from "../../../src/domain/documents/SelfReview.ts"
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

describe("a change", () => {
  it("is worth a review from four lines of source code on", () => {
    assert.deepStrictEqual(
      [3, 4].map((count) => reviewedFiles([added(count)]).length),
      [0, 1]
    )
    assert.lengthOf(reviewedFiles([added(2), added(2, "src/b.ts")]), 2)
    assert.deepStrictEqual(reviewedFiles([added(9, "test/a.test.ts"), added(9, "notes.md")]), [])
  })

  it("has at most eight names whose uses are looked for", () => {
    assert.lengthOf(reviewedNames([{ path: "src/a.ts", base: functions("sell"), text: functions("buy") }]), 8)
  })
})

describe("the uses of a name", () => {
  it("are two lines of a file but for imports, and five in all", () => {
    assert.deepStrictEqual(usesOf([file(1)], ["shelf"]), ["- src/1.ts:2: put(shelf)", "- src/1.ts:3: fill(shelf)"])
    assert.lengthOf(usesOf([file(1), file(2), file(3)], ["shelf"]), 5)
  })

  it("show 120 characters of each", () => {
    const [use = ""] = usesOf([{ path: "b.ts", text: `shelf(${"x".repeat(200)})` }], ["shelf"])
    assert.lengthOf(use, "- b.ts:1: ".length + 120)
  })
})
