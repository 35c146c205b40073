import { expect, it } from "@effect/vitest"
import { addIssue, addRepair, inDocumentOrder, makeIssue, noFindings } from "../../../src/domain/findings/Issue.ts"
import { ruleOf } from "../../../src/domain/findings/rules/Rules.ts"

const issue = (code: string, what: string, line?: number) => ({
  code,
  where: line === undefined ? {} : { line },
  what,
  how: "h"
})

it("says the remedy of the rule unless the check names one", () => {
  const where = { line: 1 }
  expect(makeIssue("answer-cut-off", where, { what: "w" }).how).toBe(ruleOf("answer-cut-off").fix)
  expect(makeIssue("answer-cut-off", where, { what: "w", how: "h" }).how).toBe("h")
})

it("adds an issue with a quote of at most 2000 characters, and a repair", () => {
  const [findings, where] = [noFindings(), { line: 1 }]
  addIssue(findings, "tool-call-json", where, { what: "w", how: "h", quote: "x".repeat(5000) })
  addRepair(findings, "line-endings", where, "Read carriage returns as line ends.")
  expect(findings).toEqual({
    issues: [{ code: "tool-call-json", where, what: "w", how: "h", quote: "x".repeat(2000) }],
    repairs: [{ code: "line-endings", where, message: "Read carriage returns as line ends." }]
  })
})

it("inDocumentOrder sorts by line and then by code, keeps equal ones as they came, and starts with the whole document", () => {
  const issues = [issue("b", "1", 7), issue("a", "2", 7), issue("z", "3"), issue("b", "4", 2), issue("a", "5", 7)]
  expect(inDocumentOrder({ issues, repairs: [] }).issues.map((one) => one.what)).toEqual(["3", "4", "2", "5", "1"])
})

it("inDocumentOrder sorts repairs in the same way and leaves what it was given as it is", () => {
  const repairs = ["line-endings", "byte-order-mark"].map((code) => ({ code, where: { line: 1 }, message: "m" }))
  const sorted = inDocumentOrder({ issues: [], repairs }).repairs.map((one) => one.code)
  expect([sorted, repairs[0]?.code]).toEqual([["byte-order-mark", "line-endings"], "line-endings"])
})
