import { assert, describe, it } from "@effect/vitest"
import { listPlaces, placeFindings, refinementPlaces } from "../../../src/domain/documents/FindingPlaces.ts"
import { makeIssue, makeRepair } from "../../../src/domain/findings/Issue.ts"

/** Line 1 is the first line of `text`. */
const lineOf = (text: string, wanted: string, nth = 0): number =>
  text.split("\n").flatMap((line, index) => (line.includes(wanted) ? [index + 1] : []))[nth] ?? -1

const list = `## Original prompt

- **Skill** of the prompt

## Goals / summary

It is done.

## Tasks

### Task section 1

- **Name** Read 1
  - **What is needed** Read.
  - **Skill** guess
  - **Expected output** A word.

- **What is needed** Search.
- **Skill** search-code
- **References** [a](a.ts)
  [b](b.ts)
- **Expected output** A word.

### Task section 2

- **Name** Read 1
- **Skill** other
- **What is needed** Read again.
- **Expected output** A word.
`

const where = (line: number) => ({ section: "Task section 1", task: "search-code 2", line })

describe("the places of a task list", () => {
  const place = listPlaces(list, [])
  const ofTask = (section: number, task: string, field?: string) =>
    place({ section: `Task section ${section}`, task, ...(field === undefined ? {} : { field }) }).line

  it("are those of the field, in both forms of tasks", () => {
    assert.strictEqual(ofTask(1, "Read 1", "Skill"), lineOf(list, "guess"))
    assert.strictEqual(ofTask(1, "search-code 2", "References"), lineOf(list, "a.ts"))
  })

  it("are those of the task when it has no such field", () => {
    assert.strictEqual(ofTask(1, "search-code 2", "Requires user approval"), lineOf(list, "Search."))
    assert.strictEqual(ofTask(1, "Read 1"), lineOf(list, "Read 1"))
  })

  it("tell tasks of one name apart by their section", () => {
    assert.strictEqual(ofTask(2, "Read 1", "Skill"), lineOf(list, "other"))
  })

  it("stay as they are when they have a line, or when there is no such task", () => {
    assert.deepStrictEqual(place({ task: "Read 1", line: 3 }), { task: "Read 1", line: 3 })
    assert.deepStrictEqual(place({ task: "Read 9" }), { task: "Read 9" })
    assert.deepStrictEqual(listPlaces("No list.", [])({ task: "Read 1" }), { task: "Read 1" })
  })

  it("count the names of tasks from those that have finished", () => {
    const skill = { section: "Task section 1", task: "search-code 3", field: "Skill" }
    assert.strictEqual(listPlaces(list, ["search-code 2"])(skill).line, lineOf(list, "search-code"))
  })

  it("put findings of the project between those of the text", () => {
    const { issues, repairs } = placeFindings(
      {
        issues: [
          makeIssue("field-unknown", where(lineOf(list, "[b]")), { what: "Late." }),
          makeIssue("field-unknown", where(1), { what: "Early." }),
          makeIssue("skill-unknown", { section: "Task section 1", task: "Read 1", field: "Skill" }, { what: "Found." })
        ],
        repairs: [makeRepair("skill-spelling", { section: "Task section 2", task: "Read 1", field: "Skill" }, "Read.")]
      },
      place
    )
    assert.deepStrictEqual(
      issues.map(({ what }) => what),
      ["Early.", "Found.", "Late."]
    )
    assert.strictEqual(repairs[0]?.where.line, lineOf(list, "other"))
  })
})

const refinement = `## Task

- **What is needed** Read.
- **Skill** guess
- **Expected output** A word.

## Inputs

- \`file\`: src/gone.ts

## Tool Calls

\`\`\`json
{ "uid": "1", "name": "read_file", "arguments": { "path": "a" } }
\`\`\`

\`\`\`json
{
  "name": "write_file",
  "arguments": { "path": "read_file" }
}
\`\`\`

\`\`\`json
{ "uid": "3", "name": "read_file", "arguments": {} }
\`\`\`
`

describe("the places of a refinement", () => {
  const places = refinementPlaces(refinement)
  const calls = ["read_file", "write_file", "read_file"].map((name, index) => ({
    uid: `${index}`,
    name,
    arguments: {}
  }))
  const ofCall = (index: number) => places.ofCall("Tool Calls", calls, index)({ section: "Tool Calls" }).line

  const at = (section: string, field?: string) =>
    places.ofTask({ section, task: "guess 1", ...(field === undefined ? {} : { field }) }).line

  it("are those of each call", () => {
    assert.deepStrictEqual([0, 1].map(ofCall), [lineOf(refinement, '"uid": "1"'), lineOf(refinement, "write_file")])
    assert.strictEqual(ofCall(2), lineOf(refinement, '"uid": "3"'))
  })

  it("are those of the fields and inputs, and of the heading for all calls", () => {
    assert.strictEqual(at("Task", "Skill"), lineOf(refinement, "guess"))
    assert.strictEqual(at("Inputs", "file"), lineOf(refinement, "gone.ts"))
    assert.strictEqual(at("Tool Calls"), lineOf(refinement, "## Tool Calls"))
  })
})
