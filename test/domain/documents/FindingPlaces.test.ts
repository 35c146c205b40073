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
`

const where = (line: number) => ({ section: "Task section 1", task: "search-code 2", line })

describe("the places of a task list", () => {
  const place = listPlaces(list, [])

  it.each<[string, { section: number; task: string; field?: string }, string]>([
    ["the field", { section: 1, task: "Read 1", field: "Skill" }, "guess"],
    ["the field, in the flat form", { section: 1, task: "search-code 2", field: "References" }, "a.ts"],
    ["the task, when it has no such field", { section: 1, task: "search-code 2", field: "Requires" }, "Search."],
    ["the task", { section: 1, task: "Read 1" }, "Read 1"],
    ["a task of this name in its section", { section: 2, task: "Read 1", field: "Skill" }, "other"]
  ])("are those of %s", (_, { section, ...at }, wanted) => {
    assert.strictEqual(place({ section: `Task section ${section}`, ...at }).line, lineOf(list, wanted))
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
    const skill = { task: "Read 1", field: "Skill" }
    const found = placeFindings(
      {
        issues: [
          makeIssue("field-unknown", where(lineOf(list, "[b]")), { what: "Late." }),
          makeIssue("field-unknown", where(1), { what: "Early." }),
          makeIssue("skill-unknown", { section: "Task section 1", ...skill }, { what: "Found." })
        ],
        repairs: [makeRepair("skill-spelling", { section: "Task section 2", ...skill }, "Read.")]
      },
      place
    )
    assert.strictEqual(found.issues.map(({ what }) => what).join(" "), "Early. Found. Late.")
    assert.strictEqual(found.repairs[0]?.where.line, lineOf(list, "other"))
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
  const calls = ["read_file", "write_file", "read_file"].map((name, at) => ({ uid: `${at}`, name, arguments: {} }))

  it("are those of each call", () => {
    const lines = calls.map((_, index) => places.ofCall("Tool Calls", calls, index)({ section: "Tool Calls" }).line)
    assert.deepStrictEqual(
      lines,
      ['"uid": "1"', "write_file", '"uid": "3"'].map((text) => lineOf(refinement, text))
    )
  })

  it.each<[{ section: string; field?: string }, string]>([
    [{ section: "Task", field: "Skill" }, "guess"],
    [{ section: "Inputs", field: "file" }, "gone.ts"],
    [{ section: "Tool Calls" }, "## Tool Calls"]
  ])("are those of %j", (at, wanted) => {
    assert.strictEqual(places.ofTask({ task: "guess 1", ...at }).line, lineOf(refinement, wanted))
  })
})
