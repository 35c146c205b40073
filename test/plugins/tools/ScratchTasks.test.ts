import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { nodeTest } from "../../support/nodeTest.ts"
import { openTools } from "../../support/OpenTools.ts"

const first = { id: "task_1", title: "Read", status: "pending" }
const second = { id: "task_2", title: "Write", status: "pending" }

describe("the scratch list", () => {
  nodeTest("gives entries ids in order, and keeps them with their status", () =>
    Effect.gen(function* () {
      const { run } = yield* openTools()
      assert.deepStrictEqual((yield* run("list_tasks")).data, [])
      assert.deepStrictEqual((yield* run("add_task", { title: "Read" })).data, first)
      assert.deepStrictEqual((yield* run("add_task", { title: "Write" })).data, second)
      const done = { ...first, status: "completed" }
      assert.deepStrictEqual((yield* run("update_task", { id: "task_1", status: "completed" })).data, done)
      assert.deepStrictEqual((yield* run("list_tasks")).data, [done, second])
      assert.deepStrictEqual((yield* run("list_tasks", { status: "pending" })).data, [second])
    })
  )

  nodeTest("takes its arguments under the names that other programs give them", () =>
    Effect.gen(function* () {
      const { run } = yield* openTools()
      assert.deepStrictEqual((yield* run("add_task", { content: "Read" })).data, first)
      const done = { ...first, status: "completed" }
      assert.deepStrictEqual((yield* run("update_task", { task_id: "task_1", status: "completed" })).data, done)
      const both = yield* run("add_task", { title: "Write", content: "Read" })
      assert.deepStrictEqual([both.error_type, (yield* run("list_tasks")).data], ["validation_failed", [done]])
    })
  )

  nodeTest("names the entries there are when one is not found", () =>
    Effect.gen(function* () {
      const { run } = yield* openTools()
      const none = yield* run("update_task", { id: "task_1", status: "completed" })
      assert.deepStrictEqual(
        [none.error_type, none.error_message],
        ["not_found", 'There is no entry "task_1". The list is empty.']
      )
      yield* run("add_task", { title: "Read" })
      const other = yield* run("update_task", { id: "task_9", status: "completed" })
      assert.strictEqual(other.error_message, 'There is no entry "task_9". There are: task_1.')
    })
  )

  nodeTest("holds 100 entries of at most 200 characters", () =>
    Effect.gen(function* () {
      const { run } = yield* openTools()
      assert.strictEqual((yield* run("add_task", { title: "a".repeat(201) })).error_type, "validation_failed")
      yield* Effect.forEach(Array.from({ length: 100 }), () => run("add_task", { title: "a" }))
      const { error_message, error_type } = yield* run("add_task", { title: "a" })
      assert.deepStrictEqual(
        [error_type, error_message],
        ["validation_failed", "The list is full: it holds 100 entries."]
      )
    })
  )

  nodeTest("takes only the three statuses", () =>
    Effect.gen(function* () {
      const { run } = yield* openTools()
      yield* run("add_task", { title: "Read" })
      const { error_message } = yield* run("update_task", { id: "task_1", status: "done" })
      assert.strictEqual(
        error_message,
        'The arguments of update_task do not fit: status must be "pending", "in_progress" or "completed", but is "done".'
      )
    })
  )

  nodeTest("is new for every run", () =>
    Effect.gen(function* () {
      const one = yield* openTools()
      yield* one.run("add_task", { title: "Read" })
      const other = yield* openTools()
      assert.deepStrictEqual((yield* other.run("list_tasks")).data, [])
    })
  )
})
