import { assert, describe, it } from "@effect/vitest"
import { changePreview } from "../../../src/domain/files/ChangePreview.ts"
import { diffSummary } from "../../../src/domain/files/DiffSummary.ts"

describe("a diff in few words", () => {
  it("names files, counts and places", () => {
    const changed =
      "--- a/my_file.go\n+++ b/my_file.go\n@@ -1,2 +1,3 @@ func main\n a\n--- b\n+c\n+d\n@@ -9 +10 @@\n-x\n+y"
    const gone = "deleted file mode 100644\n--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone"
    const moved = "diff --git a/moved.ts b/now.ts\nsimilarity index 100%"
    const git = `diff --git a/my_file.go b/my_file.go\n${changed}\ndiff --git a/old.txt b/old.txt\n${gone}\n${moved}`
    assert.deepStrictEqual(diffSummary(git), [
      "my_file.go: +3 -2, at lines 1 to 3, line 10",
      "old.txt: +0 -1, at line 0",
      "now.ts: +0 -0"
    ])
  })

  it("says that a diff was shortened before", () => {
    const preview = changePreview("a.ts", undefined, "x\n".repeat(50), 10)
    assert.deepStrictEqual(diffSummary(preview), [
      "a.ts: +7 -0, at lines 1 to 50",
      "(43 more lines of the diff are not shown)"
    ])
  })

  it("takes no other text for a diff", () => {
    for (const text of ["", "--- a\n+++ b", "- one\n- two", "@@ -1 +1 @@\n-a\n+b"])
      assert.isUndefined(diffSummary(text))
  })
})
