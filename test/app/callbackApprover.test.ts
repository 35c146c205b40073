import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { ApprovalItem } from "../../src/domain/permissions/ApprovalItem.ts"
import { Approver } from "../../src/services/approvals/Approver.ts"
import { type ApprovalCallbacks, type ApprovalRequest, layerCallback } from "../../src/app/callbackApprover.ts"
import { nodeTest } from "../support/nodeTest.ts"

const item: ApprovalItem = { task: "Edit 1", tool: "write_file", risk: "high", targets: ["/p/a.md"] }
const second: ApprovalItem = { ...item, task: "Edit 2" }

/** What an approver answers that calls these functions: about a step, a call and a call in doubt. */
const answersOf = (callbacks: ApprovalCallbacks) =>
  Effect.gen(function* () {
    const { call, inDoubt, step } = yield* Approver
    return [
      yield* step("Task section 1", [item, second], "question-1"),
      yield* call(second, "question-1"),
      yield* inDoubt(item, "question-1")
    ]
  }).pipe(Effect.provide(layerCallback(callbacks)))

const person = (answer: unknown) => ({ answer, by: "person" })
const nobody = (answer: string) => ({ answer, by: "nobody" })

nodeTest("asks for steps and calls, and passes on what may run", function* () {
  const rows: ReadonlyArray<[given: unknown, step: unknown, call: string]> = [
    [true, "step", "once"],
    [false, "decline", "deny"],
    ["repairs", "repairs", "repairs"],
    ["remaining", "remaining", "session"],
    [[second], { chosen: [2] }, "once"],
    [[], "decline", "deny"],
    [[{ ...item }], "decline", "deny"],
    /* JavaScript may return anything, and nothing but true is a yes. */
    ...["no", 1, {}, undefined, null].map((given): [unknown, unknown, string] => [given, "decline", "deny"])
  ]
  for (const [given, step, call] of rows) {
    const asked: Array<ApprovalRequest> = []
    const approve = async (request: ApprovalRequest) => {
      asked.push(request)
      return given as boolean
    }
    const answers = yield* answersOf({ approve })
    assert.deepStrictEqual<object>(answers, [person(step), person(call), nobody("stop")])
    assert.deepStrictEqual(asked, [
      { scope: "step", title: "Task section 1", items: [item, second] },
      { scope: "call", title: "Edit 2", items: [second] }
    ])
  }
})

nodeTest("shows a call in doubt, passes the answer on, and stops for whatever else a function returns", function* () {
  const asked: Array<ApprovalItem> = []
  for (const [given, answer] of [
    ["again", "again"],
    ["done", "done"],
    ["stop", "stop"],
    [true, "stop"]
  ] as const) {
    const arbitrate = async (shown: ApprovalItem) => {
      asked.push(shown)
      return given as "stop"
    }
    const answers = yield* answersOf({ arbitrate })
    assert.deepStrictEqual<object>(answers, [nobody("decline"), nobody("deny"), person(answer)])
  }
  assert.deepStrictEqual(asked, [item, item, item, item])
  const thrown = yield* Effect.exit(answersOf({ arbitrate: () => Promise.reject(new Error("no network")) }))
  assert.isTrue(Exit.hasDies(thrown))
})

nodeTest("answers a question of the model in words, or not at all, and asks nobody without functions", function* () {
  const given = yield* Effect.gen(function* () {
    const { question } = yield* Approver
    return yield* Effect.forEach(["a", "b", "c"], (text) => question?.(text, "question-1") ?? Effect.undefined)
  }).pipe(
    Effect.provide(layerCallback({ answer: (text) => (text === "a" ? " Yes. " : text === "b" ? "" : undefined) }))
  )
  assert.deepStrictEqual<object>(given, [{ ...person("said"), text: "Yes." }, person("nothing"), person("nothing")])
  const { question } = yield* Effect.provide(Approver, layerCallback({}))
  assert.isUndefined(question)
  assert.deepStrictEqual<object>(yield* answersOf({}), [nobody("decline"), nobody("deny"), nobody("stop")])
})
