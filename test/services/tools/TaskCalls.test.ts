import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { ToolInfo } from "../../../src/domain/tools/ToolCall.ts"
import { forEachCall } from "../../../src/services/tools/TaskCalls.ts"

const info = (name: string, effect: ToolInfo["effect"]): ToolInfo => ({
  name,
  origin: "built-in",
  description: "",
  risk: "safe",
  effect,
  parameters: {},
  example: {},
  definition: ""
})

const tools = [info("look", "pure"), info("write", "idempotent"), info("send", "once")]
const registry = { find: (name: string) => tools.find((tool) => tool.name === name) }

/** How many calls are at work at the same time at most, and the order of their ends. */
const play = Effect.fnUntraced(function* (calls: ReadonlyArray<string | undefined>) {
  let atWork = 0
  let most = 0
  const results = yield* forEachCall(
    registry,
    calls,
    (call) => call,
    (call, index) =>
      Effect.gen(function* () {
        atWork += 1
        most = Math.max(most, atWork)
        yield* Effect.yieldNow
        atWork -= 1
        return [index, call]
      })
  )
  assert.deepStrictEqual(
    results,
    calls.map((call, index) => [index, call])
  )
  return most
})

describe("calls of one answer", () => {
  it.effect("run side by side when all of them only look", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* play(["look", "look", "look"]), 3)
    })
  )

  it.effect("run one after another when one of them may change something, also one that is not known", () =>
    Effect.gen(function* () {
      for (const other of ["write", "send", "unheard_of"]) {
        assert.strictEqual(yield* play(["look", other, "look"]), 1, other)
      }
    })
  )

  it.effect("run side by side when only those change something that are refused", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* play(["look", undefined, "look"]), 3)
    })
  )
})
