import { expect, it } from "@effect/vitest"
import type { Reference } from "../../../src/domain/plan/Reference.ts"
import { plainTask, type Task } from "../../../src/domain/plan/Task.ts"
import { Step, TaskList } from "../../../src/domain/plan/TaskList.ts"

const resultOf = (of: string): Reference => ({ kind: "task_result", title: of, href: `#${of}-results`, target: of })

const task = (name: string, uses: ReadonlyArray<string> = []): Task =>
  plainTask(name, "search-code", "something", "something", { references: uses.map(resultOf) })

const research1 = task("Research 1")
const research2 = task("Research 2")
const write = task("Write it", ["research-1", "research-2", "elsewhere"])
const first = new Step({ title: "Task section 1", tasks: [research1, research2] })
const second = new Step({ title: "Task section 2: write", tasks: [write] })
const list = new TaskList({ goals: "Goals.", steps: [first, second] })

it("has pending work until every task has a result", () => {
  expect(list.hasPending(new Set())).toBe(true)
  expect(list.hasPending(new Set(["Research 1", "Research 2"]))).toBe(true)
  expect(list.hasPending(new Set(["Research 1", "Research 2", "Write it"]))).toBe(false)
})

it("names the producers a task refers to, each once", () => {
  expect(write.producerSlugs).toEqual(["research-1", "research-2", "elsewhere"])
  expect(task("Twice", ["research-1", "research-1"]).producerSlugs).toEqual(["research-1"])
  expect(research1.producerSlugs).toEqual([])
})

it("leaves finished tasks and empty steps out of what is outstanding", () => {
  expect(list.outstanding(new Set(["Research 1"]))).toEqual(
    new TaskList({ goals: "Goals.", steps: [new Step({ title: "Task section 1", tasks: [research2] }), second] })
  )
  expect(list.outstanding(new Set(["Write it"]))).toEqual(new TaskList({ goals: "Goals.", steps: [first] }))
})
