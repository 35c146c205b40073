import { assert, describe, expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { checkDocument, CheckReport, fixDocument } from "../../../src/domain/documents/CheckReport.ts"
import { originalPrompt } from "../../../src/domain/documents/TaskListFormat.ts"
import { documentFixtures, documentOf } from "../../support/DocumentFixtures.ts"

describe("checkDocument", () => {
  it("prints one object in the documented shape", () => {
    const fields = "- **Name** Research 1\n- **What is needed:** Find it.\n- **Expected output** Paths.\n- **Skill**"
    const text = `## Original prompt\n## Goals / summary\nFind it.\n## Tasks\n### Task section 1\n${fields}`
    const what = 'The field "Skill" of the task "Research 1" is empty.'
    const how = 'After "**Skill**" name one skill of the catalogue.'
    const where = { section: "Task section 1", task: "Research 1" }
    const message = 'Read the field as "- **What is needed** ...".'
    expect(checkDocument("task-list", text)).toEqual({
      kind: "task-list",
      verdict: "rejected",
      issues: [
        { code: "field-empty", message: `${what} ${how}`, where: { ...where, field: "Skill", line: 9 }, what, how }
      ],
      repairs: [{ code: "field-label", message, where: { ...where, field: "What is needed", line: 7 } }],
      value: null
    })
  })

  it("survives the way through JSON", () => {
    const text = documentOf("task-lists/ok-paths").text
    const report = checkDocument("task-list", text)
    const read = Schema.decodeUnknownSync(Schema.fromJsonString(CheckReport))
    expect(read(JSON.stringify(report))).toEqual(report)
  })

  it("takes an anchor that looks like a result for one, since there is no request document", () => {
    const text = documentOf("task-lists/ok-flat").text.replace("#project-description", "#test-results")
    expect(checkDocument("task-list", text).issues.map((issue) => issue.code)).toEqual(["reference-task-unknown"])
  })
})

const all = documentFixtures.map(({ kind, name, text }) => ({ kind, name, text, mended: fixDocument(kind, text) }))

const task =
  "- **Name** Research 1\n- What is needed: Find it.\n- **Skill** search-code\n- **Expected output** A line.\n"
const list = (prompt: string, heading = "## Original prompt") =>
  `${heading}\n\n${prompt}\n\n## Goals / summary\n\nFind it.\n\n## Tasks\n\n### Task section 1\n\n${task}`

describe("fixDocument", () => {
  it("leaves accepted and rejected documents as they are", () => {
    const kept = all.filter(({ mended }) => mended.report.verdict !== "repaired")
    assert.isAbove(kept.length, 40)
    expect(kept.filter(({ mended, text }) => mended.text !== text).map(({ name }) => name)).toStrictEqual([])
  })

  it("keeps the meaning, needs fewer repairs afterwards, and mends twice as once", () => {
    const repaired = all.filter(({ mended }) => mended.report.verdict === "repaired")
    assert.isAbove(repaired.length, 20)
    const notMended = new Set<string>()
    for (const { kind, mended, name, text } of repaired) {
      const again = fixDocument(kind, mended.text)
      assert.deepStrictEqual(again.report.value, mended.report.value, name)
      assert.strictEqual(again.text, mended.text, name)
      if (mended.text === text) for (const { code } of mended.report.repairs) notMended.add(code)
      else assert.isBelow(again.report.repairs.length, mended.report.repairs.length, name)
      if (kind !== "result") assert.strictEqual(again.report.verdict, "accepted", name)
    }
    // Closing a fence or dropping a section would change what a result says.
    const changing = ["fence-closed", "fence-ignored", "links-not-read", "section-repeated"]
    assert.deepStrictEqual([...notMended].sort(), changing)
  })

  it("writes the document that the product writes", () => {
    assert.strictEqual(
      fixDocument("task-list", list("Where is it?", "## User request:")).text,
      list("Where is it?").replace("- What is needed:", "- **What is needed**")
    )
  })

  it("keeps every word of the prompt", () => {
    const prompt = "Where is it?\n\n## Background\n\n- **Skill** is a word\n\n### Task section 9\n\n1. one"
    for (const given of [prompt, `\`\`\`text\n${prompt}\n\`\`\``]) {
      const { report, text } = fixDocument("task-list", list(given, "**Original prompt**"))
      assert.strictEqual(report.verdict, "repaired")
      assert.strictEqual(originalPrompt(text), prompt)
    }
  })

  it("mends a list that continues a run", () => {
    const { report, text } = fixDocument("task-list", list("Where?"), { finished: ["Research 1"] })
    assert.deepStrictEqual(report.repairs.map(({ code }) => code).sort(), ["finished-task-dropped", "step-dropped"])
    assert.notInclude(text, "Research 1")
    assert.strictEqual(fixDocument("task-list", text, { finished: ["Research 1"] }).report.verdict, "accepted")
  })
})
