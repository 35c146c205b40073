import { describe, expect, it } from "@effect/vitest"
import { addIssue, addRepair, inDocumentOrder, makeIssue, noFindings } from "../../../src/domain/findings/Issue.ts"
import { ruleOf } from "../../../src/domain/findings/rules/Rules.ts"

const issue = (code: string, what: string, line?: number) => ({
  code,
  where: line === undefined ? {} : { line },
  what,
  how: "h"
})

describe("makeIssue", () => {
  it("says the remedy of the rule unless the check names one", () => {
    const where = { line: 1 }
    expect(makeIssue("answer-cut-off", where, { what: "w" }).how).toBe(ruleOf("answer-cut-off").fix)
    expect(makeIssue("answer-cut-off", where, { what: "w", how: "h" }).how).toBe("h")
  })
})

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

describe("inDocumentOrder", () => {
  it("sorts by line and then by code, keeps equal ones as they came, and starts with the whole document", () => {
    const issues = [issue("b", "1", 7), issue("a", "2", 7), issue("z", "3"), issue("b", "4", 2), issue("a", "5", 7)]
    expect(inDocumentOrder({ issues, repairs: [] }).issues.map((one) => one.what)).toEqual(["3", "4", "2", "5", "1"])
  })

  it("sorts repairs in the same way and leaves what it was given as it is", () => {
    const repairs = [
      { code: "line-endings", where: { line: 1 }, message: "m" },
      { code: "byte-order-mark", where: { line: 1 }, message: "m" }
    ]
    expect(inDocumentOrder({ issues: [], repairs }).repairs.map((one) => one.code)).toEqual([
      "byte-order-mark",
      "line-endings"
    ])
    expect(repairs[0]?.code).toBe("line-endings")
  })
})
