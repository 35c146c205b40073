import { assert, it } from "@effect/vitest"
import { RepeatedCallDetector } from "../../../src/domain/conversation/RepeatedCallDetector.ts"
import type { CallOutcome } from "../../../src/domain/tools/ToolCall.ts"

const outcome = (name: string, given: CallOutcome["call"]["arguments"], data: string, time = 1): CallOutcome => ({
  call: { uid: `${name}-${time}`, name, arguments: given },
  result: {
    success: true,
    data,
    error_message: null,
    error_type: "none",
    metadata: { execution_time_ms: time, data_size_bytes: 1, timestamp: time }
  }
})

it("finds the third same call with the same result, however its arguments are ordered and whenever it ran", () => {
  const same = new RepeatedCallDetector(3)
  assert.isUndefined(same.add([outcome("read", { a: 1, b: 2 }, "x", 1)]))
  assert.isUndefined(same.add([outcome("read", { b: 2, a: 1 }, "x", 2), outcome("other", {}, "y")]))
  assert.strictEqual(same.add([outcome("read", { a: 1, b: 2 }, "x", 3)]), "read")
})

it("begins anew with a new result, and with other arguments", () => {
  const same = new RepeatedCallDetector(2)
  assert.isUndefined(same.add([outcome("read", { a: 1 }, "x")]))
  assert.isUndefined(same.add([outcome("read", { a: 1 }, "y")]))
  assert.isUndefined(same.add([outcome("read", { a: 2 }, "y")]))
  assert.strictEqual(same.add([outcome("read", { a: 1 }, "y")]), "read")
})

it("counts a call once in each iteration", () => {
  const same = new RepeatedCallDetector(2)
  assert.isUndefined(same.add([outcome("read", {}, "x", 1), outcome("read", {}, "x", 2), outcome("read", {}, "x", 3)]))
  assert.strictEqual(same.add([outcome("read", {}, "x", 4)]), "read")
})
