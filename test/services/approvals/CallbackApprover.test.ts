import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { ApprovalItem } from "../../../src/domain/permissions/ApprovalItem.ts"
import { Approver } from "../../../src/services/approvals/Approver.ts"
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  layerCallback
} from "../../../src/services/approvals/CallbackApprover.ts"

const item: ApprovalItem = { task: "Edit 1", tool: "write_file", risk: "high", targets: ["/p/a.md"] }

/** What the approver answers, and what the function was asked. */
const answers = Effect.fnUntraced(function* (answer: ApprovalAnswer) {
  const asked: Array<ApprovalRequest> = []
  const layer = layerCallback(async (request) => {
    asked.push(request)
    return answer
  })
  const given = yield* Effect.gen(function* () {
    const approver = yield* Approver
    return [yield* approver.step("Task section 1", [item], "question-1"), yield* approver.call(item, "question-1")]
  }).pipe(Effect.provide(layer))
  return { asked, given }
})

describe("layerCallback", () => {
  it.effect("asks for steps and calls", () =>
    Effect.gen(function* () {
      const { asked, given } = yield* answers(true)
      assert.deepStrictEqual(asked, [
        { scope: "step", title: "Task section 1", items: [item] },
        { scope: "call", title: "Edit 1", items: [item] }
      ])
      assert.deepStrictEqual(given, [
        { answer: "step", by: "person" },
        { answer: "once", by: "person" }
      ])
    })
  )

  it.effect("passes a no and a wider yes on", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* answers(false)).given, [
        { answer: "decline", by: "person" },
        { answer: "deny", by: "person" }
      ])
      assert.deepStrictEqual((yield* answers("remaining")).given, [
        { answer: "remaining", by: "person" },
        { answer: "session", by: "person" }
      ])
    })
  )

  it.effect("takes a list of items for those that may run", () =>
    Effect.gen(function* () {
      const second: ApprovalItem = { ...item, task: "Edit 2" }
      const choose = (chosen: ReadonlyArray<ApprovalItem>) =>
        Effect.gen(function* () {
          const approver = yield* Approver
          return [
            (yield* approver.step("Task section 1", [item, second], "question-1")).answer,
            (yield* approver.call(second, "question-1")).answer
          ]
        }).pipe(Effect.provide(layerCallback(() => chosen)))
      assert.deepStrictEqual(yield* choose([second]), [{ chosen: [2] }, "once"])
      assert.deepStrictEqual(yield* choose([]), ["decline", "deny"])
      assert.deepStrictEqual(yield* choose([{ ...item }]), ["decline", "deny"])
    })
  )

  it.effect("takes nothing but true for a yes", () =>
    Effect.gen(function* () {
      for (const answer of ["no", 1, {}, undefined, null]) {
        // @ts-expect-error JavaScript may return anything
        const { given } = yield* answers(answer)
        assert.deepStrictEqual(given, [
          { answer: "decline", by: "person" },
          { answer: "deny", by: "person" }
        ])
      }
    })
  )
})
