import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { readSkillTest } from "../../../src/plugins/check-tools/SkillTest.ts"

const read = (...lines: ReadonlyArray<string>) => readSkillTest(lines.join("\n"), "count-words")
const task = ["## Task", "", "- **What is needed** Count.", "- **Expected output** A number."]

const problems = (...lines: ReadonlyArray<string>) => Result.getOrElse(Result.flip(read(...lines)), () => [])

describe("readSkillTest", () => {
  it("reads every section, and adds the skill to the task", () => {
    const test = read(
      "# Counts",
      ...task,
      "## File docs/a.md\n````md\n## Not a section\n```js\n```\n````",
      "## Refinement answer\n```md\n## Tool Calls\n```\n## Refinement answer\n```\nsecond\n```",
      "## Execution answer\n```\ndone\n```",
      "## Expected inputs\n- `file`: docs/a.md",
      '## Expected calls\n```json\n{ "name": "word_count", "arguments": { "path": "docs/a.md" } }\n```',
      "## Expected issues\n- tool-unknown\n* `input-missing`",
      "## Expected outputs\n 12\n\nwords ",
      "## Expected result\ntwelve\n## Expected file `b.md`\n```\n```"
    )
    assert.deepStrictEqual(
      test,
      Result.succeed({
        title: "Counts",
        plan: [
          "## Original prompt\n\nTest.\n\n## Goals / summary\n\nTest.\n\n## Tasks\n\n### Task section 1\n",
          "- **Skill** count-words",
          "- **What is needed** Count.",
          "- **Expected output** A number.\n"
        ].join("\n"),
        files: [{ path: "docs/a.md", text: "## Not a section\n```js\n```\n" }],
        refinements: ["## Tool Calls", "second"],
        executions: ["done"],
        expected: {
          inputs: "- `file`: docs/a.md",
          calls: [{ name: "word_count", arguments: { path: "docs/a.md" } }],
          issues: ["tool-unknown", "input-missing"],
          outputs: ["12", "words"],
          result: ["twelve"],
          files: [{ path: "b.md", text: "" }]
        }
      })
    )
  })

  it("looks at nothing that a test does not name, and takes no issue as expected", () => {
    const test = Result.getOrThrow(read(...task))
    assert.deepStrictEqual(test.expected, {
      calls: undefined,
      inputs: undefined,
      issues: [],
      outputs: [],
      result: [],
      files: []
    })
  })

  it("says all that is wrong, each with its line", () => {
    const test = read(
      "## Tusk\n## File ../a.md\n## Expected call\n## Expected calls\n```\n{}\n```",
      "## Expected calls\n## Expected issues\nMany."
    )
    const all =
      "All: Task, File PATH, Refinement answer, Execution answer, Expected inputs, Expected calls, Expected issues, " +
      "Expected outputs, Expected result, Expected file PATH."
    assert.deepStrictEqual(
      test,
      Result.fail([
        `line 1: There is no section "Tusk". Nearest: Task. ${all}`,
        `line 3: There is no section "Expected call". Nearest: Expected calls. ${all}`,
        'line 1: There is no section "## Task" with the fields of a task.',
        'line 8: The section "Expected calls" occurs twice.',
        'line 2: "File" needs a path in the project, such as "## File src/main.ts".',
        'line 2: "File" needs a code block: put its text between two lines ````.',
        'line 4: Each block under "Expected calls" is one JSON object with "name" and "arguments".',
        'line 9: "Many." is not a code. Write one "- code" a line under "Expected issues".'
      ])
    )
  })

  it("takes one task of the skill whose test it is", () => {
    assert.deepStrictEqual(problems("## Task", "- **What is needed** Count."), [
      'line 1: The task "count-words 1" has no field "Expected output". Add "- **Expected output** ..." and say what the result must contain.'
    ])
    assert.deepStrictEqual(problems(...task, "- **Skill** other"), [
      'line 1: The task must have the skill "count-words", whose test this is. Leave the field out.'
    ])
    assert.deepStrictEqual(
      problems(...task, "- **Skill** count-words", "", ...task.slice(2), "- **Skill** count-words"),
      ["line 1: A test has one task, not 2."]
    )
  })
})
