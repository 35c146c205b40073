import { describe, expect, it } from "@effect/vitest"
import {
  countChangedLines,
  isReplacement,
  isSourceFile,
  linesWithName,
  removedLines,
  removedNames
} from "../../../src/domain/files/ChangedNames.ts"

const change = (path: string, base: string, text: string) => ({ path, base, text })

it("the names in changed files are gone when no changed file defines them any more, common words excepted", () => {
  const moved = [
    change("a.ts", "export const getLimit = 5\nconst value = 1\nfunction keep() {}\n", "export {}\n"),
    change("b.ts", "", "function keep() {}\n")
  ]
  expect(removedNames(moved)).toEqual(["getLimit"])
  expect(removedNames([change("a.py", "MAX_SIZE = 3\n  limit = 4\n", "")])).toEqual(["MAX_SIZE"])
})

it("the names in changed files stand as words in lines that use them", () => {
  const text = "const getLimit = 1\nuse(getLimit())\ngetLimits\n"
  expect(linesWithName({ path: "a.ts", text }, ["getLimit"])).toEqual([
    { line: 2, name: "getLimit", text: "use(getLimit())" }
  ])
})

describe("the lines of changed files", () => {
  it("are removed when they are put nowhere else, and say something", () => {
    const before = "import { a } from 'a'\nif (text.length > limit) cut()\n  kept(text, 'somewhere')\n}\n"
    expect(removedLines([change("a.ts", before, "  if (more) {\n    kept(text, 'somewhere')\n")])).toEqual([
      "if (text.length > limit) cut()"
    ])
    expect(removedLines([change("a.md", "A long line of text for people.\n", "")])).toEqual([])
  })

  it("are counted on the larger side", () => {
    expect(countChangedLines(change("a.ts", "1\n2\n", "3\n4\n5\n"))).toBe(3)
  })

  it("are a replacement when one text stands in the place of another everywhere", () => {
    const before = "getLimit(getLimit)\nconst x = getLimit()\n"
    expect(isReplacement([change("a.ts", before, before.replaceAll("getLimit", "readLimit"))])).toBe(true)
    expect(isReplacement([change("a.ts", before, before.replace("getLimit", "readLimit"))])).toBe(false)
    expect(isReplacement([change("a.ts", "a\n", "a\nb\n")])).toBe(false)
    expect(isReplacement([{ path: "a.ts", base: null, text: "a\n" }])).toBe(false)
  })

  it("make a program or do not, by the name of the file", () => {
    expect(["a.ts", "a.py", "Makefile", "a.md", "LICENSE"].filter(isSourceFile)).toEqual(["a.ts", "a.py", "Makefile"])
  })
})
