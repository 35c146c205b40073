import { describe, expect, it } from "@effect/vitest"
import { changelogLines } from "../../../src/domain/excerpts/ChangelogLines.ts"

/** The first lines that are shown, numbered from 1. */
const firstOf = (lines: ReadonlyArray<string>, count: number) =>
  changelogLines(lines.join("\n"))
    .slice(0, count)
    .map((index) => index + 1)

describe("the lines of a changelog", () => {
  it("begin with the headings of the newest release, then the first and the last line below each", () => {
    const markdown = "# Log\n\n## 2.0\n\n### Added\n\n- a\n- b\n- c\n### Fixed\n- d\n## 1.0\n- e".split("\n")
    expect(firstOf(markdown, 7)).toEqual([1, 3, 5, 10, 7, 11, 9])
    expect(firstOf(markdown, 99).toSorted((a, b) => a - b)).toEqual(markdown.map((_, index) => index + 1))
  })

  it("know headings with a line below", () => {
    const text = "R 2\n===\n\nAdded\n-----\n* a\n\nFixed\n-----\n* b\n\nR 1\n===".split("\n")
    expect(firstOf(text, 8)).toEqual([1, 2, 4, 5, 8, 9, 6, 10])
  })

  it("are those of the first release where releases have no sections", () => {
    expect(firstOf(["# Log", "", "## 2.1.0\r", "- a", "- b", "- c", "## 2.0.0", "- d"], 5)).toEqual([1, 3, 4, 6, 5])
    expect(firstOf(["No heading.", "Text."], 2)).toEqual([1, 2])
  })
})
