import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { outcomeOf, passes } from "../../../src/domain/checks/CheckOutcome.ts"
import { TaskResult } from "../../../src/domain/plan/TaskResult.ts"
import { makeRunState } from "../../../src/services/runs/RunState.ts"
import { finished, taskFor } from "../../support/sampleTasks.ts"
import { nodeTest } from "../../support/nodeTest.ts"

/** How a check ended. */
const end = (exitCode: number) => ({
  exitCode,
  output: exitCode === 0 ? "" : "not ok 1 - it holds\nok 2 - it counts\n# pass 1\n# fail 1\n",
  seconds: 1
})

const tasks = (...names: ReadonlyArray<string>) => names.map((name) => taskFor("see", "It.", { name }))

nodeTest("lists results by round and by their place in the list, whichever task ended first", function* () {
  const state = yield* makeRunState
  const add = (...names: ReadonlyArray<string>) =>
    Effect.forEach(names, (name) => state.add(finished(name, "")), { discard: true })
  const names = Effect.map(state.get, ({ results }) => results.map(({ name }) => name).join(" "))
  yield* state.startRound(tasks("A", "B", "C", "D"))
  yield* add("D", "B")
  expect(yield* names).toBe("B D")
  yield* add("A")
  expect(yield* names).toBe("A B D")
  yield* state.startRound(tasks("Z", "A", "C", "E"))
  yield* add("E", "C", "Z")
  expect(yield* names).toBe("A B D Z C E")
})

nodeTest("knows that a check fails by a change when it is compared with it, or another task passes", function* () {
  const state = yield* makeRunState
  const failing = outcomeOf({ argv: ["npm", "test"], kind: "tests" }, end(1), { before: end(0) })
  const passing = outcomeOf({ argv: ["npm", "test"], kind: "tests" }, end(0))
  const old = outcomeOf({ argv: ["npm", "test"], kind: "tests" }, end(1), { before: end(1) })
  expect([failing, passing, old].map(passes)).toEqual([false, true, true])
  yield* state.startRound(tasks("A", "B", "C"))
  for (const [name, check] of [
    ["A", failing],
    ["B", passing],
    ["C", old]
  ] as const) {
    const { calls, result, task } = finished(name, "")
    yield* state.add(new TaskResult({ task, calls, result, files: [], checks: [check] }))
  }
  expect((yield* state.get).checks.map(({ newFailures }) => newFailures)).toEqual([["it holds"]])
  yield* state.setChecks([old])
  expect((yield* state.get).checks.map(passes)).toEqual([false])
  yield* state.setChecks([passing])
  expect((yield* state.get).checks.map(passes)).toEqual([true])
})
