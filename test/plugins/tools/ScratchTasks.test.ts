import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { nodeTest } from "../../support/nodeTest.ts"
import { openTools } from "../../support/OpenTools.ts"

const first = { id: "task_1", title: "Read", status: "pending" }
const second = { id: "task_2", title: "Write", status: "pending" }
const done = { ...first, status: "completed" }

describe("the scratch list", () => {
  nodeTest("gives entries ids in order, keeps them with their status, and is new for every run", function* () {
    const { run } = yield* openTools()
    assert.deepStrictEqual((yield* run("list_tasks")).data, [])
    assert.deepStrictEqual((yield* run("add_task", { title: "Read" })).data, first)
    assert.deepStrictEqual((yield* run("add_task", { title: "Write" })).data, second)
    assert.deepStrictEqual((yield* run("update_task", { id: "task_1", status: "completed" })).data, done)
    assert.deepStrictEqual((yield* run("list_tasks")).data, [done, second])
    assert.deepStrictEqual((yield* run("list_tasks", { status: "pending" })).data, [second])
    const other = yield* openTools()
    assert.deepStrictEqual((yield* other.run("list_tasks")).data, [])
  })

  nodeTest("takes its arguments under the names that other programs give them", function* () {
    const { run } = yield* openTools()
    assert.deepStrictEqual((yield* run("add_task", { content: "Read" })).data, first)
    assert.deepStrictEqual((yield* run("update_task", { task_id: "task_1", status: "completed" })).data, done)
    const both = yield* run("add_task", { title: "Write", content: "Read" })
    assert.deepStrictEqual([both.error_type, (yield* run("list_tasks")).data], ["validation_failed", [done]])
  })

  nodeTest(
    "says which entries and statuses there are, and that it is full with 100 of at most 200 characters",
    function* () {
      const { run } = yield* openTools()
      const failure = (name: string, given: Readonly<Record<string, string>>) =>
        Effect.map(run(name, given), ({ error_message, error_type }) => [error_type, error_message])
      const update = (id: string, status: string) => failure("update_task", { id, status })
      const none = ["not_found", 'There is no entry "task_1". The list is empty.']
      assert.deepStrictEqual(yield* update("task_1", "completed"), none)
      yield* run("add_task", { title: "Read" })
      const other = ["not_found", 'There is no entry "task_9". There are: task_1.']
      assert.deepStrictEqual(yield* update("task_9", "completed"), other)
      const [, wrong] = yield* update("task_1", "done")
      assert.include(wrong, 'status must be "pending", "in_progress" or "completed", but is "done".')
      assert.strictEqual((yield* failure("add_task", { title: "a".repeat(201) }))[0], "validation_failed")
      yield* Effect.forEach(Array.from({ length: 99 }), () => run("add_task", { title: "a" }))
      const full = ["validation_failed", "The list is full: it holds 100 entries."]
      assert.deepStrictEqual(yield* failure("add_task", { title: "a" }), full)
    }
  )
})
