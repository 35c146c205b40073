import { assert, describe, it } from "@effect/vitest"
import { readBadStatus, readErrorValue } from "../../../../src/services/providers/ollama/OllamaErrorBody.ts"
import { OllamaError } from "../../../../src/services/providers/ollama/OllamaErrors.ts"

const overflow =
  '{"error":{"code":400,"message":"request (26528 tokens) exceeds the available context size (16384 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":26528,"n_ctx":16384}}'

const status = (answer: { status: number; body: string; statusText?: string; retryAfter?: string }) =>
  readBadStatus({ statusText: "", retryAfter: undefined, ...answer })

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

  it("does not take the word of the type without the sizes", () => {
    assert.deepStrictEqual(readErrorValue({ message: "too long", type: "exceed_context_size_error" }), {
      detail: "too long"
    })
  })
})

describe("readBadStatus", () => {
  it("tells Ollama's own error object from the page of another server", () => {
    assert.deepStrictEqual(
      status({ status: 404, body: '{"error":"model \'x\' not found"}' }),
      new OllamaError({ reason: { _tag: "BadStatus", status: 404, json: true, detail: "model 'x' not found" } })
    )
    assert.deepStrictEqual(
      status({ status: 404, body: "404 page not found" }),
      new OllamaError({ reason: { _tag: "BadStatus", status: 404, json: false, detail: "404 page not found" } })
    )
  })

  it("uses the status text when the body is empty", () => {
    assert.deepStrictEqual(
      status({ status: 502, body: "", statusText: "Bad Gateway" }),
      new OllamaError({ reason: { _tag: "BadStatus", status: 502, json: false, detail: "Bad Gateway" } })
    )
  })

  it("keeps how long to wait, in seconds only", () => {
    const reason = { _tag: "BadStatus", status: 429, json: true, detail: "slow down" } as const
    const body = '{"error":"slow down"}'
    assert.deepStrictEqual(
      status({ status: 429, body, retryAfter: "7" }),
      new OllamaError({ reason: { ...reason, retryAfter: 7 } })
    )
    assert.deepStrictEqual(
      status({ status: 429, body, retryAfter: "Fri, 21 Nov 2025 07:28:00 GMT" }),
      new OllamaError({ reason })
    )
  })

  it("recognises a prompt that is too long", () => {
    assert.deepStrictEqual(
      status({ status: 400, body: JSON.stringify({ error: overflow }) }),
      new OllamaError({ reason: { _tag: "PromptTooLong", promptTokens: 26_528, window: 16_384 } })
    )
  })
})
