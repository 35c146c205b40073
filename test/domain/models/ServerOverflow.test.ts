import { assert, describe, it } from "@effect/vitest"
import { readServerOverflow } from "../../../src/domain/models/ServerOverflow.ts"

/** What OpenAI, vLLM, llama.cpp, LM Studio, Ollama, TGI, SGLang, litellm and others say of a prompt that is too long: 9000 tokens for a window of 8192. */
const withSizes: ReadonlyArray<string> = [
  "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. Please reduce the length of the messages.",
  "This model's maximum context length is 8192 tokens. However, you requested 9500 tokens (9000 in the messages, 500 in the completion).",
  "The decoder prompt (length 9000) is longer than the maximum model length of 8192. Make sure that `max_model_len` is no smaller than the number of text tokens.",
  "You passed 9000 input tokens and requested 1 output tokens. However, the model's context length is only 8192 tokens, resulting in a maximum input length of 8191 tokens.",
  "request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it",
  "Requested tokens (9000) exceed context window of 8192",
  "Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 8192 tokens, which is not enough.",
  "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 9000>= n_ctx: 8192). Try to load the model with a larger context length, or provide a shorter input.",
  "Cannot truncate prompt with n_keep (9000) >= n_ctx (8192)",
  "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 9000 `inputs` tokens and 512 `max_new_tokens`",
  "Requested token count exceeds the model's maximum context length of 8192 tokens. You requested a total of 10000 tokens: 9000 tokens from the input messages and 1000 tokens for the completion.",
  "Input length (9000 tokens) exceeds the maximum allowed length (8192 tokens).",
  "prompt is too long: 9000 tokens > 8192 maximum",
  "input length and `max_tokens` exceed context limit: 9000 + 2000 > 8192, decrease input length or `max_tokens` and try again",
  "This model's maximum prompt length is 8192 but the request contains 9000 tokens.",
  "This endpoint's maximum context length is 8192 tokens. However, you requested about 9500 tokens (9000 of text input, 500 in the output).",
  'litellm.APIError: APIError: OllamaException - {"n_prompt_tokens":9000,"n_ctx":8192}',
  "This model maximum context length is 8192 tokens. However, your messages resulted in over 9000 tokens."
]
const withoutSizes: ReadonlyArray<string> = [
  "prompt is too long",
  "litellm.ContextWindowExceededError: litellm.BadRequestError: whatever",
  "Your input exceeds the context window of this model. Please adjust your input and try again.",
  "input is too large to process. increase the physical batch size",
  "Input prompt is too big compared to KV size. Please try increasing KV size.",
  "Conversation too long: reduce the length of the messages"
]
const withWindow =
  "Reached context length of 8192 tokens with model (arch: llama) but this model does not currently support mid-generation context overflow because llama_memory_can_shift is 0. Try reloading with a larger context length or shortening the prompt/chat."

const others: ReadonlyArray<string> = [
  "Rate limit reached for model x: Limit 6000 tokens per minute, Requested 7000",
  "tools are not supported",
  "too large",
  "Request too large for model: tokens per minute (TPM): Limit 6000, Requested 7000",
  "slot failed",
  "max_tokens must be at most 4096",
  "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
  "max_tokens (9000) exceeds the maximum allowed 4096",
  "You exceeded your current quota, please check your plan and billing details.",
  "cudaMalloc failed: out of memory",
  "Invalid input: messages must alternate"
]

describe("the words of a server for a prompt that is too long", () => {
  it.each(withSizes)("are read with the sizes: %s", (text) => {
    assert.deepStrictEqual(readServerOverflow(text), { promptTokens: 9000, window: 8192 })
  })

  it.each(withoutSizes)("are read: %s", (text) => assert.deepStrictEqual(readServerOverflow(text), {}))

  it("are read with the window alone", () => assert.deepStrictEqual(readServerOverflow(withWindow), { window: 8192 }))

  it.each(others)("are not these: %s", (text) => {
    assert.isUndefined(readServerOverflow(text))
  })
})
