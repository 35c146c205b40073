import { describe, expect, it } from "@effect/vitest"
import { inDocumentOrder } from "../../../src/domain/findings/FindingOrder.ts"

const issue = (code: string, what: string, line?: number) => ({
  code,
  where: line === undefined ? {} : { line },
  what,
  how: "h"
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
