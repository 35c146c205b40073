import { describe, expect } from "@effect/vitest"
import type { ApprovalItem } from "../../../src/domain/permissions/ApprovalItem.ts"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import { layerTest } from "../../support/layerTest.ts"

const readItem: ApprovalItem = { task: "Research 1", tool: "read_file", risk: "medium", targets: ["/p/README.md"] }
const writeItem: ApprovalItem = { task: "Edit 1", tool: "write_file", risk: "high", targets: ["/p/a"] }

describe("Approver.layerApproveSteps", () => {
  layerTest(
    Approver.layerApproveSteps(Approver.layerDenyAll),
    "approves steps and reads of the project, and leaves other calls to the inner approver",
    function* () {
      const approver = yield* Approver
      const others: ReadonlyArray<ApprovalItem> = [
        { ...readItem, personOnly: true },
        { ...readItem, origin: "a plugin" },
        { ...readItem, tool: "fetch_url", targets: ["https://a.example/"] },
        { ...writeItem, tool: "run_command", targets: ["npm test"] }
      ]
      expect(yield* approver.call(readItem, "question-1")).toStrictEqual({ answer: "once", by: "rule" })
      for (const item of others) {
        expect(yield* approver.call(item, "question-1")).toStrictEqual({ answer: "deny", by: "nobody" })
      }
      expect(yield* approver.step("Task section 1", [writeItem], "question-1")).toStrictEqual({
        answer: "remaining",
        by: "rule"
      })
      expect(yield* approver.inDoubt(writeItem, "question-1")).toStrictEqual({ answer: "stop", by: "nobody" })
    }
  )
})

describe("Approver.layerYes", () => {
  layerTest(
    Approver.layerYes(Approver.layerDenyAll),
    "approves steps and calls, and leaves what only a person may allow to the inner approver",
    function* () {
      const approver = yield* Approver
      const secret: ApprovalItem = { ...readItem, personOnly: true }
      expect([
        yield* approver.step("Task section 1", [writeItem, secret], "question-1"),
        yield* approver.call(readItem, "question-2"),
        yield* approver.call(secret, "question-3"),
        yield* approver.inDoubt(writeItem, "question-4")
      ]).toStrictEqual([
        { answer: "remaining", by: "rule" },
        { answer: "once", by: "rule" },
        { answer: "deny", by: "nobody" },
        { answer: "stop", by: "nobody" }
      ])
      expect([approver.leaves?.(secret), approver.leaves?.(writeItem)]).toStrictEqual([true, false])
    }
  )
})
