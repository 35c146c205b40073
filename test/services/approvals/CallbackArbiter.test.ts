import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { ApprovalItem } from "../../../src/domain/permissions/ApprovalItem.ts"
import { Arbiter } from "../../../src/services/approvals/Arbiter.ts"
import { type Arbitrate, layerCallbackArbiter } from "../../../src/services/approvals/CallbackArbiter.ts"

const item: ApprovalItem = { task: "Edit 1", tool: "run_command", risk: "high", targets: ["make"] }

const decide = (arbitrate: Arbitrate) =>
  Effect.flatMap(Arbiter, (arbiter) => arbiter.decide(item, "question-1")).pipe(
    Effect.provide(layerCallbackArbiter(arbitrate))
  )

describe("layerCallbackArbiter", () => {
  it.effect("shows the call and passes the answer on", () =>
    Effect.gen(function* () {
      const asked: Array<ApprovalItem> = []
      const answers = yield* Effect.forEach(["again", "done", "stop"] as const, (answer) =>
        decide(async (shown) => {
          asked.push(shown)
          return answer
        })
      )
      assert.deepStrictEqual(answers, [
        { answer: "again", by: "person" },
        { answer: "done", by: "person" },
        { answer: "stop", by: "person" }
      ])
      assert.deepStrictEqual(asked, [item, item, item])
    })
  )

  it.effect("stops for whatever else a function returns, and breaks off when it throws", () =>
    Effect.gen(function* () {
      // @ts-expect-error a function in JavaScript may return anything
      assert.deepStrictEqual(yield* decide(() => true), { answer: "stop", by: "person" })
      const thrown = yield* Effect.exit(decide(() => Promise.reject(new Error("no network"))))
      assert.isTrue(Exit.hasDies(thrown))
    })
  )
})
