/** Servers that refuse a part of requests by its name: tried once without it, which is remembered. */
import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as LanguageModel from "effect/ai/LanguageModel"
import { CallOptions, type CallSettings } from "../../../src/services/providers/CallOptions.ts"
import { layerOllama } from "../../../src/services/providers/ollama/OllamaModel.ts"
import { layerOpenAi } from "../../../src/plugins/openai/OpenAiModel.ts"
import type { RequestNotice } from "../../../src/services/providers/RequestFit.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import { type CompletionBody, FakeOpenAi, fakeOpenAiModel } from "../../support/FakeOpenAi.ts"
import type { OpenAiReply } from "../../support/FakeOpenAiReply.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const prompt = [
  { role: "system" as const, content: "Be brief." },
  { role: "user" as const, content: [{ type: "text" as const, text: "Hello" }] }
]
const options = { model: `openai:${fakeOpenAiModel}`, contextWindow: 8192, maxAnswerTokens: 64 }
const sampling = { temperature: 0.5, topK: 40, minP: 0.1, seed: 7 }

/** Asks twice; gives the answers, what was sent, and what a person is told. */
const askTwice = (refuse: (body: CompletionBody) => OpenAiReply | undefined, settings: Partial<CallSettings> = {}) =>
  Effect.gen(function* () {
    const server = yield* FakeOpenAi.make((body) => refuse(body) ?? "Hi.")
    const told: Array<RequestNotice> = []
    const ask = Effect.map(LanguageModel.generateText({ prompt }), ({ text }) => text)
    const answers = yield* Effect.result(Effect.all([ask, ask])).pipe(
      Effect.provide(layerOpenAi({ ...options, host: server.url })),
      Effect.provideService(CallOptions, { sampling, noticed: (notice) => told.push(notice), ...settings })
    )
    return { answers, chats: server.chats, told }
  })

const fastApi = (name: string) => ({
  status: 422,
  body: { detail: [{ type: "extra_forbidden", loc: ["body", name], msg: "Extra inputs are not permitted", input: {} }] }
})
const vllm = (name: string) => ({
  status: 400,
  body: {
    object: "error",
    message: `[{'type': 'extra_forbidden', 'loc': ('body', '${name}'), 'msg': 'Extra inputs are not permitted', 'input': {}}]`,
    type: "BadRequestError",
    code: 400
  }
})
const refused = (message: string, status = 400) => ({ status, error: message })

/** A field, as servers word that they do not take it. */
const unknown =
  "json: unknown field `stream_options`, expected one of `model`, `messages`, `stream`, `max_tokens`, `seed`"
const listed = "'stream_options' is not supported by this model. Supported parameters: seed, top_k"
const extra = "1 validation error for ChatCompletionRequest\ntop_k\n  Extra inputs are not permitted"
const fixed =
  "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported."
const fields: ReadonlyArray<readonly [field: string, reply: OpenAiReply]> = [
  ["stream_options", fastApi("stream_options")],
  ["stream_options", vllm("stream_options")],
  ["stream_options", refused("Unknown parameter: 'stream_options'.")],
  ["stream_options", refused("Unrecognized request argument supplied: stream_options")],
  ["stream_options", refused(unknown)],
  ["stream_options", refused(listed, 422)],
  ["stream_options", refused("property 'stream_options' is unsupported", 400)],
  ["stream_options", { errorEvent: { message: "stream_options are not supported by this engine" } }],
  ["top_k", refused(extra, 500)],
  ["min_p", fastApi("min_p")],
  ["seed", refused("Invalid parameter: seed is not supported")],
  ["temperature", refused(fixed)]
]
const hi = { _tag: "Success", success: ["Hi.", "Hi."] }

describe("a field that the server refuses", () => {
  nodeTest.each(fields)("is left out of the next try and of later calls: %s", function* ([field, reply]) {
    const { answers, chats, told } = yield* askTwice((body) => (field in body ? reply : undefined))
    expect(answers).toMatchObject(hi)
    expect(chats.map((body) => field in body)).toStrictEqual([true, false, false])
    const [first, ...later] = chats.map((body) => Object.keys(body).filter((name) => name !== field))
    for (const names of later) expect(names.toSorted()).toStrictEqual(first?.toSorted())
    expect(told.length).toBe(1)
    expect(told[0]?.text).toContain(`"${field}"`)
  })

  nodeTest("is left out with all others that are refused at once, or one after another", function* () {
    const both = yield* askTwice((body) =>
      "top_k" in body ? refused("Unrecognized request arguments supplied: min_p, top_k") : undefined
    )
    expect(both.chats.length).toBe(3)
    const inTurn = yield* askTwice((body) =>
      "top_k" in body ? fastApi("top_k") : "min_p" in body ? fastApi("min_p") : undefined
    )
    expect(inTurn.chats.length).toBe(4)
    expect(inTurn.answers._tag).toBe("Success")
  })

  nodeTest("is sent by its newer name where there is one", function* () {
    const message =
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    const { chats } = yield* askTwice((body) => ("max_tokens" in body ? refused(message) : undefined))
    expect(chats.map(({ max_completion_tokens, max_tokens }) => [max_tokens, max_completion_tokens])).toStrictEqual([
      [64, undefined],
      [undefined, 64],
      [undefined, 64]
    ])
  })

  nodeTest("may be the stream: then the whole answer is read at once", function* () {
    const whole = { choices: [{ index: 0, message: { role: "assistant", content: "Hi." }, finish_reason: "stop" }] }
    const { answers, chats } = yield* askTwice((body) =>
      body["stream"] === true
        ? refused("Streaming is not supported for this model.")
        : { chunks: [JSON.stringify(whole)] }
    )
    expect(answers).toMatchObject(hi)
    expect(chats.map((body) => [body["stream"], "stream_options" in body])).toStrictEqual([
      [true, true],
      [false, false],
      [false, false]
    ])
  })

  nodeTest.each([
    refused("Rate limit of seed tokens", 429),
    refused("max_tokens must be at least 100"),
    refused("Your request was rejected by our safety system"),
    { status: 401, error: "Invalid stream_options or key" }
  ])("is none in %j", function* (reply) {
    const { answers, chats } = yield* askTwice(() => reply)
    expect(answers._tag).toBe("Failure")
    expect(chats.length).toBe(1)
  })

  nodeTest("is sent again when it did not help to leave it out", function* () {
    const server = yield* FakeOpenAi.make((body) =>
      "seed" in body ? refused("seed is not supported") : refused("The balance is not enough", 402)
    )
    const ask = Effect.exit(LanguageModel.generateText({ prompt }))
    yield* Effect.all([ask, ask]).pipe(
      Effect.provide(layerOpenAi({ ...options, host: server.url })),
      Effect.provideService(CallOptions, { sampling })
    )
    expect(server.chats.map((body) => "seed" in body)).toStrictEqual([true, false, true, false])
  })

  nodeTest("is left out for an Ollama server as well", function* () {
    const server = yield* FakeOllama.make((body) =>
      "keep_alive" in body ? { status: 400, error: 'json: unknown field "keep_alive"' } : "Hi."
    )
    const answer = yield* LanguageModel.generateText({ prompt }).pipe(
      Effect.provide(layerOllama({ ...options, model: "qwen3:8b", host: server.url }))
    )
    expect(answer.text).toBe("Hi.")
    expect(server.chats.length).toBe(2)
  })
})

/** How templates and servers say that they know no instructions in a role of their own. */
const systemRefusals: ReadonlyArray<OpenAiReply> = [
  refused('Error rendering prompt with jinja template: "System role not supported".'),
  refused("While executing CallExpression at line 1:\nError: Jinja Exception: System role not supported", 500),
  refused("Conversation roles must alternate user/assistant/user/assistant/..."),
  refused("Only user and assistant roles are supported!"),
  refused("Developer instruction is not enabled for models/gemma-3-1b-it"),
  refused("Unsupported value: 'messages[0].role' does not support 'system' with this model."),
  refused("Unexpected role 'system' in messages"),
  {
    status: 422,
    body: { detail: [{ loc: ["body", "messages", 0, "role"], msg: "Input should be 'user' or 'assistant'" }] }
  },
  { errorEvent: { message: "Error rendering prompt with jinja template: System role not supported" } },
  { chunks: ['{"error":"system messages are not supported by this model"}'] }
]

const isSystem = ({ messages }: CompletionBody) => messages.some(({ role }) => role === "system")

describe("a system role that is refused", () => {
  nodeTest.each(systemRefusals)("goes before the first message of the user: %j", function* (reply) {
    const { answers, chats, told } = yield* askTwice((body) => (isSystem(body) ? reply : undefined))
    expect(answers).toMatchObject(hi)
    expect(chats.slice(1).map(({ messages }) => messages)).toStrictEqual([
      [{ role: "user", content: "Be brief.\n\nHello" }],
      [{ role: "user", content: "Be brief.\n\nHello" }]
    ])
    expect(told.length).toBe(1)
  })
})
