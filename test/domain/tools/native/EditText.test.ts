import { assert, it } from "@effect/vitest"
import { readTurn } from "../../../../src/domain/documents/TurnFormat.ts"
import { plainTask } from "../../../../src/domain/plan/Task.ts"

const read = (answer: string) =>
  readTurn(answer, { task: plainTask("a", "edit-files", "a", "b"), inputs: [], kept: [], mayChange: true })

const edit = { _tag: "Edit", path: "src/limits.ts", oldText: "  retries: 3\n", newText: "  retries: 5\n" }

it.each([
  [
    "replace_in_file",
    "<replace_in_file>\n<path>src/limits.ts</path>\n<diff>\n------- SEARCH\n  retries: 3\n=======\n  retries: 5\n+++++++ REPLACE\n</diff>\n</replace_in_file>"
  ],
  [
    "apply_diff with a line",
    "I raise it.\n\n<apply_diff>\n<path>src/limits.ts</path>\n<diff>\n<<<<<<< SEARCH\n:start_line:2\n-------\n  retries: 3\n=======\n  retries: 5\n>>>>>>> REPLACE\n</diff>\n</apply_diff>"
  ]
])("edits of other programs are changes: %s", (_, answer) => {
  const { calls, changes, issues, report } = read(answer)
  assert.deepStrictEqual(
    [calls, changes.map(({ line: _line, ...change }) => change), issues, report],
    [[], [edit], [], undefined]
  )
})
