import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { ApprovalItem } from "../../../src/domain/permissions/ApprovalItem.ts"
import { Approver } from "../../../src/services/approvals/Approver.ts"

const readItem: ApprovalItem = { task: "Research 1", tool: "read_file", risk: "medium", targets: ["/p/README.md"] }
const writeItem: ApprovalItem = { task: "Edit 1", tool: "write_file", risk: "high", targets: ["/p/a"] }

describe("Approver.layerApproveSteps", () => {
  it.effect("approves steps and reads of the project, and leaves other calls to the inner approver", () =>
    Effect.gen(function* () {
      const approver = yield* Approver
      const others: ReadonlyArray<ApprovalItem> = [
        { ...readItem, personOnly: true },
        { ...readItem, origin: "a plugin" },
        { ...readItem, tool: "fetch_url", targets: ["https://a.example/"] },
        { ...writeItem, tool: "run_command", targets: ["npm test"] }
      ]
      assert.deepStrictEqual(yield* approver.call(readItem, "question-1"), { answer: "once", by: "rule" })
      for (const item of others) {
        assert.deepStrictEqual(yield* approver.call(item, "question-1"), { answer: "deny", by: "nobody" })
      }
      assert.deepStrictEqual(yield* approver.step("Task section 1", [writeItem], "question-1"), {
        answer: "remaining",
        by: "rule"
      })
      assert.deepStrictEqual(yield* approver.inDoubt(writeItem, "question-1"), { answer: "stop", by: "nobody" })
    }).pipe(Effect.provide(Approver.layerApproveSteps(Approver.layerDenyAll)))
  )
})

describe("Approver.layerYes", () => {
  it.effect("approves steps and calls, and leaves what only a person may allow to the inner approver", () =>
    Effect.gen(function* () {
      const approver = yield* Approver
      const secret: ApprovalItem = { ...readItem, personOnly: true }
      assert.deepStrictEqual(
        [
          yield* approver.step("Task section 1", [writeItem, secret], "question-1"),
          yield* approver.call(readItem, "question-2"),
          yield* approver.call(secret, "question-3"),
          yield* approver.inDoubt(writeItem, "question-4")
        ],
        [
          { answer: "remaining", by: "rule" },
          { answer: "once", by: "rule" },
          { answer: "deny", by: "nobody" },
          { answer: "stop", by: "nobody" }
        ]
      )
      assert.deepStrictEqual([approver.leaves?.(secret), approver.leaves?.(writeItem)], [true, false])
    }).pipe(Effect.provide(Approver.layerYes(Approver.layerDenyAll)))
  )
})
