import { assert, describe, it } from "@effect/vitest"
import { readTurn } from "../../../../src/domain/documents/TurnFormat.ts"
import { plainTask } from "../../../../src/domain/plan/Task.ts"

const read = (answer: string) =>
  readTurn(answer, { task: plainTask("a", "edit-files", "a", "b"), inputs: [], kept: [], mayChange: true })

const edit = { _tag: "Edit", path: "src/limits.ts", oldText: "  retries: 3\n", newText: "  retries: 5\n" }

describe("edits of other programs", () => {
  it.each([
    [
      "replace_in_file",
      "<replace_in_file>\n<path>src/limits.ts</path>\n<diff>\n------- SEARCH\n  retries: 3\n=======\n  retries: 5\n+++++++ REPLACE\n</diff>\n</replace_in_file>"
    ],
    [
      "apply_diff with a line",
      "I raise it.\n\n<apply_diff>\n<path>src/limits.ts</path>\n<diff>\n<<<<<<< SEARCH\n:start_line:2\n-------\n  retries: 3\n=======\n  retries: 5\n>>>>>>> REPLACE\n</diff>\n</apply_diff>"
    ],
    [
      "a patch",
      "*** Begin Patch\n*** Update File: src/limits.ts\n@@ export const limits\n-  retries: 3\n+  retries: 5\n*** End Patch"
    ],
    ["a patch without an end", "*** Begin Patch\n*** Update File: src/limits.ts\n@@\n-  retries: 3\n+  retries: 5"]
  ])("are changes: %s", (_, answer) => {
    const { calls, changes, issues, report } = read(answer)
    assert.deepStrictEqual(
      [calls, changes.map(({ line: _line, ...change }) => change), issues, report],
      [[], [edit], [], undefined]
    )
  })

  it("add files", () => {
    const { changes } = read("*** Begin Patch\n*** Add File: a.ts\n+const a = 1\n+const b = 2\n*** End Patch")
    assert.deepStrictEqual(
      changes.map((change) => (change._tag === "File" ? [change.path, change.text, change.mustBeNew] : change)),
      [["a.ts", "const a = 1\nconst b = 2\n", true]]
    )
  })

  it("remove and move files", () => {
    const { changes, issues } = read(
      "*** Begin Patch\n*** Delete File: a.ts\n*** Update File: b.ts\n*** Move to: c.ts\n*** End Patch"
    )
    assert.deepStrictEqual([changes.map(({ _tag }) => _tag), issues], [["Remove", "Move"], []])
  })
})
