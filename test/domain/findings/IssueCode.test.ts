import { describe, expect, it } from "@effect/vitest"
import { addIssue, addRepair, noFindings } from "../../../src/domain/findings/IssueCode.ts"

describe("addIssue", () => {
  it("cuts a long quote", () => {
    const findings = noFindings()
    addIssue(findings, "tool-call-json", { line: 1 }, { what: "w", how: "h", quote: "x".repeat(5000) })
    expect(findings.issues).toEqual([
      { code: "tool-call-json", where: { line: 1 }, what: "w", how: "h", quote: "x".repeat(2000) }
    ])
  })
})

describe("addRepair", () => {
  it("records where and what", () => {
    const findings = noFindings()
    addRepair(findings, "line-endings", { line: 1 }, "Read carriage returns as line ends.")
    expect(findings).toEqual({
      issues: [],
      repairs: [{ code: "line-endings", where: { line: 1 }, message: "Read carriage returns as line ends." }]
    })
  })
})
