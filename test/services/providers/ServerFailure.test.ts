import { assert, describe, it } from "@effect/vitest"
import { readErrorValue } from "../../../src/services/providers/ServerFailure.ts"

const overflow =
  '{"error":{"code":400,"message":"request (26528 tokens) exceeds the available context size (16384 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":26528,"n_ctx":16384}}'

describe("readErrorValue", () => {
  it.each([
    ["model runner has unexpectedly stopped.", { detail: "model runner has unexpectedly stopped" }],
    [{ message: "bad key" }, { detail: "bad key" }],
    [{ error: { message: "deep" } }, { detail: "deep" }],
    ['{"error":"inside"}', { detail: "inside" }],
    ["{ not JSON", { detail: "{ not JSON" }],
    [{ code: 7 }, { detail: '{"code":7}' }],
    [["a"], { detail: '["a"]' }],
    [null, { detail: "null" }],
    [undefined, { detail: "" }],
    ["x".repeat(900), { detail: "x".repeat(500) }]
  ])("reads %j", (value, expected) => {
    assert.deepStrictEqual(readErrorValue(value), expected)
  })

  it("finds the sizes of a prompt that did not fit, also when the runner's JSON is a string", () => {
    const expected = {
      detail: "request (26528 tokens) exceeds the available context size (16384 tokens), try increasing it",
      overflow: { promptTokens: 26_528, window: 16_384 }
    }
    assert.deepStrictEqual(readErrorValue(overflow), expected)
    assert.deepStrictEqual(readErrorValue(JSON.parse(overflow)), expected)
  })

  it("takes the word of the type without the sizes", () => {
    assert.deepStrictEqual(readErrorValue({ message: "too long", type: "exceed_context_size_error" }), {
      detail: "too long",
      overflow: {}
    })
  })
})
