import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { ApprovalItem } from "../../src/domain/permissions/ApprovalItem.ts"
import { Approver } from "../../src/services/approvals/Approver.ts"
import {
  type ApprovalAnswer,
  type ApprovalRequest,
  type Arbitrate,
  layerCallback
} from "../../src/app/callbackApprover.ts"

const item: ApprovalItem = { task: "Edit 1", tool: "write_file", risk: "high", targets: ["/p/a.md"] }

/** What the approver answers, and what the function was asked. */
const answers = Effect.fnUntraced(function* (answer: ApprovalAnswer) {
  const asked: Array<ApprovalRequest> = []
  const layer = layerCallback({
    approve: async (request) => {
      asked.push(request)
      return answer
    }
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
      assert.deepStrictEqual((yield* answers("repairs")).given, [
        { answer: "repairs", by: "person" },
        { answer: "repairs", by: "person" }
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
        }).pipe(Effect.provide(layerCallback({ approve: () => chosen })))
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

  it.effect("can ask nobody where a script has no function", () =>
    Effect.gen(function* () {
      const approver = yield* Approver
      assert.deepStrictEqual(
        [
          yield* approver.step("Task section 1", [item], "question-1"),
          yield* approver.call(item, "question-1"),
          yield* approver.inDoubt(item, "question-1")
        ],
        [
          { answer: "decline", by: "nobody" },
          { answer: "deny", by: "nobody" },
          { answer: "stop", by: "nobody" }
        ]
      )
    }).pipe(Effect.provide(layerCallback({})))
  )
})

/** What is decided about a call in doubt. */
const decide = (arbitrate: Arbitrate) =>
  Approver.use((approver) => approver.inDoubt(item, "question-1")).pipe(Effect.provide(layerCallback({ arbitrate })))

describe("layerCallback for calls in doubt", () => {
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

  it.effect("answers a question of the model in words, or not at all", () =>
    Effect.gen(function* () {
      const given = yield* Effect.gen(function* () {
        const { question } = yield* Approver
        return yield* Effect.forEach(["a", "b", "c"], (text) => question?.(text, "question-1") ?? Effect.undefined)
      }).pipe(
        Effect.provide(layerCallback({ answer: (text) => (text === "a" ? " Yes. " : text === "b" ? "" : undefined) }))
      )
      assert.deepStrictEqual(given, [
        { answer: "said", by: "person", text: "Yes." },
        { answer: "nothing", by: "person" },
        { answer: "nothing", by: "person" }
      ])
      const { question } = yield* Effect.provide(Approver, layerCallback({}))
      assert.isUndefined(question)
    })
  )
})
