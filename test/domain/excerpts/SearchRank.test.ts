import { describe, expect, it } from "@effect/vitest"
import { chooseRows } from "../../../src/domain/excerpts/SearchRank.ts"

const file = (path: string, ...lines: Array<string>) => ({ path, rows: lines.map((line) => ({ line, size: 10 })) })

/** The rows that are shown of files by their paths, with room for so many. */
const shownOf = (files: ReadonlyArray<ReturnType<typeof file>>, rows: number): Readonly<Record<string, number>> => {
  const chosen = chooseRows(files, { characters: 1000, rows })
  return Object.fromEntries(files.flatMap(({ path }, at) => (chosen[at]?.length ? [[path, chosen[at].length]] : [])))
}

/** A file of each kind, in the order in which they are shown. */
const inOrder = ["src/a.ts", "data/a.bin", "test/a.py", "docs/a.md", "CHANGELOG.md"]

describe("the matches of a search that are shown", () => {
  it("are of source, then of data, tests and texts for people, and only then of what tools write", () => {
    const files = inOrder.toReversed().map((path) => file(path, "use(a)", "use(a)"))
    for (const rows of [1, 2, 3, 4])
      expect(shownOf(files, rows)).toEqual(Object.fromEntries(inOrder.slice(0, rows).map((path) => [path, 1])))
    // More of each file comes in the same order, and what tools write last of all.
    expect(shownOf(files, 5)).toEqual({ "src/a.ts": 2, "data/a.bin": 1, "test/a.py": 1, "docs/a.md": 1 })
    expect(shownOf(files, 9)).toEqual({ ...Object.fromEntries(inOrder.map((path) => [path, 2])), "CHANGELOG.md": 1 })
  })

  it.each([
    ["written", ["dist/a.js", "package-lock.json", "a.min.js", "go.sum", "NEWS", "src/vendor/a.ts"]],
    ["test", ["a.test.ts", "spec/a.rb", "src/fixtures/a.ts", "test_a.py", "ATest.java"]],
    ["prose", ["README.md", "docs/a.ts", "examples/a.py", "a.rst"]],
    ["data", ["a.json", "a.bin", "a.yaml"]]
  ])("tell files of the kind %s from source", (_, paths) => {
    for (const path of paths)
      expect(shownOf([file(path, "use(a)"), file("src/z.ts", "use(a)")], 1)).toEqual({ "src/z.ts": 1 })
  })

  it("begin with files and lines that declare a name, then with files that have more", () => {
    const files = [
      file("few.ts", "use(a)"),
      file("many.ts", "use(a)", "use(a)"),
      file("declares.ts", "use(a)", "function a() {")
    ]
    expect(shownOf(files, 1)).toEqual({ "declares.ts": 1 })
    expect(chooseRows(files, { characters: 1000, rows: 1 })).toEqual([[], [], [1]])
    expect(shownOf(files, 2)).toEqual({ "declares.ts": 1, "many.ts": 1 })
    const imports = file("imports.ts", 'import { a } from "./a"')
    expect(shownOf([imports, ...files], 5)).toEqual({ "few.ts": 1, "many.ts": 2, "declares.ts": 2 })
    expect(chooseRows(files, { characters: 1000 })).toEqual([[0], [0, 1], [0, 1]])
  })

  it("are as many as fit; a file of which one does not fit has no more", () => {
    expect(chooseRows([file("a.ts", "use(a)", "use(b)")], { characters: 10 })).toEqual([[0]])
    expect(chooseRows([file("a.ts", "use(a)", "use(b)")], { characters: 9 })).toEqual([[]])
    const long = { path: "a.ts", rows: [5, 90, 5].map((size) => ({ line: "use(a)", size })) }
    expect(chooseRows([long, file("b.ts", "use(a)", "use(b)")], { characters: 30 })).toEqual([[0], [0, 1]])
    expect(chooseRows([file("a.ts")], { characters: 30 })).toEqual([[]])
  })
})
