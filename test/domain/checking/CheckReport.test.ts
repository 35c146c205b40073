import { describe, expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { CheckReport, checkDocument } from "../../../src/domain/checking/CheckReport.ts"

const fixtures = new URL("../../fixtures/", import.meta.url)

describe("checkDocument", () => {
  it("prints one object in the documented shape", () => {
    const report = checkDocument(
      "task-list",
      [
        "## Original prompt",
        "## Goals / summary",
        "Find it.",
        "## Tasks",
        "### Task section 1",
        "- **Name** Research 1",
        "- **What is needed:** Find the loader.",
        "- **Expected output** Paths.",
        "- **Skill**"
      ].join("\n")
    )
    expect(report).toEqual({
      kind: "task-list",
      verdict: "rejected",
      issues: [
        {
          code: "field-empty",
          message:
            'The field "Skill" of the task "Research 1" is empty. After "**Skill**" name one skill of the catalogue.',
          where: { section: "Task section 1", task: "Research 1", field: "Skill", line: 9 },
          what: 'The field "Skill" of the task "Research 1" is empty.',
          how: 'After "**Skill**" name one skill of the catalogue.'
        }
      ],
      repairs: [
        {
          code: "field-label",
          message: 'Read the field as "- **What is needed** ...".',
          where: { section: "Task section 1", task: "Research 1", field: "What is needed", line: 7 }
        }
      ],
      value: null
    })
  })

  it("survives the way through JSON", () => {
    const text = readFileSync(new URL("task-lists/ok-references.md", fixtures), "utf8")
    const report = checkDocument("task-list", text)
    const read = Schema.decodeUnknownSync(Schema.fromJsonString(CheckReport))
    expect(read(JSON.stringify(report))).toEqual(report)
  })

  it("takes an anchor that looks like a result for one, since there is no request document", () => {
    const text = readFileSync(new URL("task-lists/ok-flat.md", fixtures), "utf8").replace(
      "#project-description",
      "#test-results"
    )
    expect(checkDocument("task-list", text).issues.map((issue) => issue.code)).toEqual(["reference-task-unknown"])
  })
})
