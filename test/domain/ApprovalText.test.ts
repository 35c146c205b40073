import { expect, it } from "@effect/vitest"
import { stepQuestion } from "../../src/domain/ApprovalText.ts"

it("shows a warning about a call below it, made printable", () => {
  expect(
    stepQuestion("Task section 1", [
      {
        task: "Edit 1",
        tool: "write_file",
        risk: "medium",
        call: { uid: "call-1", name: "write_file", arguments: { path: "a" } },
        targets: ["/p/a"],
        warnings: ["Two tasks write \u001b[31m/p/a."]
      }
    ]).split("\n")
  ).toEqual([
    "",
    "Approval request: Task section 1",
    "1. Task: Edit 1",
    "   Tool: write_file   Risk: MEDIUM",
    '   Arguments: {"path":"a"}',
    "   Target: /p/a",
    "   Warning: Two tasks write \\u{1b}[31m/p/a.",
    "[1] This step  [2] All remaining steps of this run  [3] Decline  [4] Choose single calls",
    ""
  ])
})
