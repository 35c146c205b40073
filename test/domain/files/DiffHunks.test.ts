import { describe, expect, it } from "@effect/vitest"
import { diffEnd, isDiff, readDiff } from "../../../src/domain/files/DiffHunks.ts"

const hunksOf = (text: string) =>
  readDiff(text.split("\n")).flatMap(({ hunks }) => hunks.map(({ newLines, oldLines }) => [oldLines, newLines]))
const filesOf = (text: string) =>
  readDiff(text.split("\n")).map(({ from, isDeleted, isNew, to }) => [from, to, isNew, isDeleted])

describe("a diff", () => {
  it("begins with a header, or with one of git or of another patch", () => {
    const begins = ["--- a\n+++ b", "diff --git a/x b/x", "*** Begin Patch", "*** Update File: x", "\n\n--- a\n+++ b"]
    expect(begins.filter((text) => !isDiff(text.split("\n")))).toEqual([])
    const others = ["--- a", "- a\n+ b", "+++ b\n--- a", "text", "", "---\n+++ b"]
    expect(others.filter((text) => isDiff(text.split("\n")))).toEqual([])
  })

  it("ends without a fence before the first line that is none of it", () => {
    const lines = ["--- a", "+++ b", "@@ -1 +1 @@", "-x", "", "+y", "", "So it is.", "+z"]
    expect(diffEnd(lines, 0)).toBe(6)
    expect(diffEnd(["index 1a..2b", "new file mode 100644", " x", "word"], 0)).toBe(3)
    expect(diffEnd(["word"], 0)).toBe(0)
  })

  it("has hunks whose blank lines at the end are none of them", () => {
    expect(hunksOf("--- a\n+++ a\n@@ -1 +1 @@\n-x\n+y\n\n\n@@ -9 +9 @@\n-v\n\n+w\n")).toEqual([
      [["x"], ["y"]],
      [
        ["v", ""],
        ["", "w"]
      ]
    ])
    expect(hunksOf("-x\n+y\n\\ No newline at end of file")).toEqual([[["x"], ["y"]]])
  })

  it("names files in each form", () => {
    expect(filesOf("--- a/x.ts\n+++ b/x.ts\n@@\n-a\n+b")).toEqual([["x.ts", "x.ts", false, false]])
    expect(filesOf('--- "a/x y.ts"\t2026\n+++ b/x.ts\n+b')).toEqual([["x y.ts", "x.ts", false, false]])
    expect(filesOf("--- /dev/null\n+++ b/x.ts\n+b")).toEqual([[undefined, "x.ts", true, false]])
    expect(filesOf("--- a/x.ts\n+++ /dev/null\n-b")).toEqual([["x.ts", undefined, false, true]])
    expect(filesOf("diff --git a/x.ts b/y.ts\nsimilarity index 100%")).toEqual([["x.ts", "y.ts", false, false]])
    const patch =
      "*** Begin Patch\n*** Add File: a\n+x\n*** Delete File: b\n*** Update File: c\n*** Move to: d\n-x\n*** End Patch"
    expect(filesOf(patch)).toEqual([
      [undefined, "a", true, false],
      [undefined, "b", false, true],
      ["c", "d", false, false]
    ])
  })

  it("has a new file where a header follows a hunk, and one file where a header follows that of git", () => {
    const two = "--- a/x\n+++ b/x\n-a\n+b\n--- a/y\n+++ b/y\n-c\n+d"
    expect(filesOf(two).map(([from]) => from)).toEqual(["x", "y"])
    expect(hunksOf(two)).toEqual([
      [["a"], ["b"]],
      [["c"], ["d"]]
    ])
    expect(filesOf("diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n-a\n+b")).toHaveLength(1)
    expect(hunksOf("-a\n+b\n*** End Patch\ntext").at(0)).toEqual([["a"], ["b"]])
  })
})
