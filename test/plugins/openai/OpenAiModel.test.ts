import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import { fromAiError } from "../../../src/services/providers/ModelErrors.ts"
import { CallOptions, type CallSettings } from "../../../src/services/providers/CallOptions.ts"
import { spoken } from "../../../src/plugins/openai/OpenAiAddress.ts"
import { layerOpenAi } from "../../../src/plugins/openai/OpenAiModel.ts"
import type { ModelOptions } from "../../../src/services/providers/Provider.ts"
import type { ModelErrorReason } from "../../../src/domain/models/ModelAnswer.ts"
import { type CompletionBody, FakeOpenAi, fakeOpenAiModel, openAiError } from "../../support/FakeOpenAi.ts"
import type { OpenAiReply } from "../../support/FakeOpenAiReply.ts"
import type { FakeServerOf } from "../../support/FakeServer.ts"
import { withoutUrl } from "../../support/withoutUrl.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const base = { model: `openai:${fakeOpenAiModel}`, contextWindow: 8192, maxAnswerTokens: 2048 }

/** Runs an effect against a server that always gives this reply. */
const withReply = <A, E>(
  reply: OpenAiReply | string,
  use: (server: FakeServerOf<CompletionBody>) => Effect.Effect<A, E, LanguageModel.LanguageModel>,
  options: Partial<ModelOptions> = {}
) =>
  Effect.gen(function* () {
    const server = yield* FakeOpenAi.make(() => reply)
    return yield* use(server).pipe(Effect.provide(layerOpenAi({ ...base, host: server.url, ...options })))
  })

type Body = (
  server: FakeServerOf<CompletionBody>
) => Generator<Effect.Effect<unknown, unknown, LanguageModel.LanguageModel>, unknown, never>

const replyTest = (title: string, reply: OpenAiReply | string, body: Body, options?: Partial<ModelOptions>): void =>
  it.effect(title, () => withReply(reply, (server) => Effect.gen(() => body(server)), options))

/** A part as plain data, without the marks of effect/ai. */
const plain = (part: Response.AnyPart): Readonly<Record<string, unknown>> => {
  const { "~effect/ai/Response/Part": _mark, metadata: _metadata, ...rest } = JSON.parse(JSON.stringify(part))
  return rest
}

const streamed = (prompt: Prompt.RawInput) =>
  LanguageModel.streamText({ prompt }).pipe(
    Stream.runCollect,
    Effect.map((parts) => parts.map(plain))
  )

const Weather = Tool.make("get_weather", {
  description: "Tells the weather of a city.",
  parameters: Schema.Struct({ city: Schema.String }),
  success: Schema.String
})
const Clock = Tool.make("get_time", { description: "Tells the time.", success: Schema.String })
const tools = Toolkit.make(Weather, Clock)
const handlers = tools.toLayer({
  get_weather: ({ city }) => Effect.succeed(`rain in ${city}`),
  get_time: () => Effect.succeed("noon")
})

/** With tools, whose calls are taken as they are. */
const streamedWithTools = LanguageModel.streamText({
  prompt: "Hello",
  toolkit: tools,
  disableToolCallResolution: true,
  toolCallValidation: "deferred"
}).pipe(
  Stream.runCollect,
  Effect.map((parts) => parts.map(plain)),
  Effect.provide(handlers)
)

const textOf = (parts: ReadonlyArray<Readonly<Record<string, unknown>>>, type: string): string =>
  parts.flatMap((part) => (part["type"] === type ? [String(part["delta"])] : [])).join("")

const sent = {
  model: fakeOpenAiModel,
  stream: true,
  stream_options: { include_usage: true },
  max_tokens: 2048
}

const callWeather = { id: "call_1", name: "get_weather", arguments: '{"city":"Rome \\"a\\""}' }

const askWith = (settings: CallSettings) => Effect.provideService(streamed("Hello"), CallOptions, settings)

const askChoosing = (toolChoice: "auto" | "none" | "required" | { readonly tool: "get_time" }) =>
  LanguageModel.generateText({ prompt: "?", toolkit: tools, toolChoice, disableToolCallResolution: true }).pipe(
    Effect.provide(handlers)
  )

describe("what is sent", () => {
  replyTest(
    "streams a bounded answer with its counts, to the name without its prefix",
    "Hi",
    function* ({ chats, requests }) {
      yield* streamed([
        { role: "system", content: "Be brief." },
        { role: "user", content: [{ type: "text", text: "Hello" }] }
      ])
      yield* LanguageModel.generateText({ prompt: "Hello" })
      yield* askWith({ sampling: {}, model: "openai:other:1b" })
      assert.deepStrictEqual<unknown>(chats, [
        {
          ...sent,
          messages: [
            { role: "system", content: "Be brief." },
            { role: "user", content: "Hello" }
          ]
        },
        { ...sent, messages: [{ role: "user", content: "Hello" }] },
        { ...sent, model: "other:1b", messages: [{ role: "user", content: "Hello" }] }
      ])
      assert.isUndefined(requests[0]?.headers.authorization)
    }
  )

  replyTest(
    "has the key, sampling and thinking that are set, and nothing of what is not",
    "Hi",
    function* ({ chats, requests }) {
      const sampling = { temperature: 0.5, topP: 0.9, topK: 40, minP: 0.1, seed: 7, repeatPenalty: 1.1 }
      yield* askWith({ sampling })
      yield* askWith({ sampling: {}, think: false, maxTokens: 99, contextWindow: 4096 })
      yield* askWith({ sampling: {}, think: true })
      const sampled = { temperature: 0.5, top_p: 0.9, top_k: 40, min_p: 0.1, seed: 7, repeat_penalty: 1.1 }
      assert.deepStrictEqual<unknown>(
        chats.map(({ messages: _messages, ...rest }) => rest),
        [
          { ...sent, reasoning_effort: "low", ...sampled },
          { ...sent, max_tokens: 99, reasoning_effort: "none" },
          { ...sent, reasoning_effort: "medium" }
        ]
      )
      const [{ headers, method, path } = {}] = requests
      assert.deepStrictEqual([method, path, headers?.authorization], ["POST", "/v1/chat/completions", "Bearer secret"])
    },
    { apiKey: Redacted.make("secret"), think: "low" }
  )

  replyTest("tells calls and their results as the API wants them, without thoughts", "Rain.", function* ({ chats }) {
    yield* streamed([
      { role: "user", content: [{ type: "text", text: "Where is this?" }] },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "Hm." },
          { type: "tool-call", id: "c1", name: "get_weather", params: { city: "Rome" }, providerExecuted: false }
        ]
      },
      {
        role: "tool",
        content: [{ type: "tool-result", id: "c1", name: "get_weather", result: "rain", isFailure: false }]
      },
      { role: "assistant", content: [{ type: "text", text: "It rains." }] }
    ])
    assert.deepStrictEqual<unknown>(chats[0]?.messages, [
      { role: "user", content: "Where is this?" },
      {
        role: "assistant",
        tool_calls: [
          { id: "d0f631ca1", type: "function", function: { name: "get_weather", arguments: '{"city":"Rome"}' } }
        ]
      },
      { role: "tool", content: "rain", tool_call_id: "d0f631ca1" },
      { role: "assistant", content: "It rains." }
    ])
  })

  replyTest("offers tools, and makes a call a must where that is wanted", "No.", function* ({ chats }) {
    for (const choice of ["auto", "none", "required", { tool: "get_time" }] as const) yield* askChoosing(choice)
    const names = chats.map(({ tool_choice, tools: offered }) => [
      (offered as ReadonlyArray<{ function: { name: string } }> | undefined)?.map(({ function: f }) => f.name),
      tool_choice
    ])
    assert.deepStrictEqual<unknown>(names, [
      [["get_weather", "get_time"], undefined],
      [undefined, undefined],
      [["get_weather", "get_time"], "required"],
      [["get_weather", "get_time"], { type: "function", function: { name: "get_time" } }]
    ])
    const offered = chats[0]?.["tools"] as ReadonlyArray<unknown> | undefined
    assert.containsSubset(offered?.[0], { type: "function", function: { description: "Tells the weather of a city." } })
  })

  replyTest("binds the answer to a schema, or to any object", '{"city":"Rome"}', function* ({ chats }) {
    const schema = Schema.Struct({ city: Schema.String })
    const { value } = yield* LanguageModel.generateObject({ prompt: "?", schema, objectName: "place" })
    assert.deepStrictEqual(value, { city: "Rome" })
    yield* LanguageModel.generateObject({ prompt: "?", schema: Schema.Record(Schema.String, Schema.Unknown) })
    const place = {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false
    }
    assert.deepStrictEqual<unknown>(
      chats.map(({ response_format }) => response_format),
      [{ type: "json_schema", json_schema: { name: "place", strict: true, schema: place } }, { type: "json_object" }]
    )
  })
})

describe("what is read", () => {
  replyTest(
    "is text with its counts and the reason of its end",
    { text: "Grüße, 👩‍👩‍👧!", promptTokens: 7, answerTokens: 3, cachedTokens: 2 },
    function* () {
      const parts = yield* streamed("Hello")
      assert.deepStrictEqual(
        parts.map(({ type }) => type),
        ["text-start", "text-delta", "text-delta", "text-end", "finish"]
      )
      assert.strictEqual(textOf(parts, "text-delta"), "Grüße, 👩‍👩‍👧!")
      assert.deepStrictEqual(parts.at(-1), {
        type: "finish",
        reason: "stop",
        usage: { inputTokens: { total: 7, cacheRead: 2 }, outputTokens: { total: 3 } }
      })
    }
  )

  const forms: ReadonlyArray<readonly [name: string, reply: OpenAiReply]> = [
    ["thoughts as reasoning_content", {}],
    ["thoughts as reasoning", { thinkingKey: "reasoning" }],
    ["other ends of lines", { lineEnd: "\r\n", chunkBytes: 1 }],
    ["no last event", { done: false }],
    ["no counts", { stats: false }]
  ]
  it.effect.each(forms)("is the same with %s", ([, reply]) =>
    withReply({ text: "naïve\n\nend", thinking: "Hm, ö.", toolCalls: [callWeather], argumentBytes: 4, ...reply }, () =>
      Effect.gen(function* () {
        const parts = yield* streamedWithTools
        assert.strictEqual(textOf(parts, "text-delta"), "naïve\n\nend")
        assert.strictEqual(textOf(parts, "reasoning-delta"), "Hm, ö.")
        assert.strictEqual(parts.at(-1)?.["reason"], "tool-calls")
        const call = parts.find(({ type }) => type === "tool-call")
        assert.deepStrictEqual(call?.["params"], { city: 'Rome "a"' })
      })
    )
  )

  replyTest(
    "gives the arguments as they come, so that a loop in them is seen",
    { toolCalls: [callWeather], argumentBytes: 5 },
    function* () {
      const parts = yield* streamedWithTools
      assert.strictEqual(textOf(parts, "tool-params-delta"), callWeather.arguments)
    }
  )

  replyTest(
    "has arguments that are no JSON as text, and an id where the server gave none",
    { toolCalls: [{ name: "get_weather", arguments: '{"city": Rome' }] },
    function* () {
      const call = (yield* streamedWithTools).find(({ type }) => type === "tool-call")
      assert.strictEqual(call?.["params"], '{"city": Rome')
      assert.isNotEmpty(call?.["id"])
    }
  )

  replyTest("ends as the server says", { text: "a", finish: "content_filter" }, function* () {
    assert.strictEqual((yield* streamed("Hello")).at(-1)?.["reason"], "content-filter")
  })

  replyTest("leaves the connection for the next request", "Hi", function* (server) {
    yield* streamed("one")
    yield* streamed("two")
    assert.strictEqual(server.acceptedCount(), 1)
  })
})

/** The error of the domain for a reply. */
const fail = Effect.fnUntraced(function* (reply: OpenAiReply) {
  const server = yield* FakeOpenAi.make(() => reply)
  let partial = ""
  const error = yield* LanguageModel.streamText({ prompt: "Hello" }).pipe(
    Stream.runForEach((part) =>
      Effect.sync(() => {
        if (part.type === "text-delta") partial += part.delta
      })
    ),
    Effect.flip,
    Effect.provide(layerOpenAi({ ...base, host: server.url }))
  )
  return fromAiError(error, { host: server.url, model: base.model, partial })
})

const { check, missing } = spoken.remedies(base.model)
const overflow = { _tag: "ContextOverflow", estimated: 9000, window: 8192, isRefused: true } as const

/** A reply of this status, and the reason that repeats its error. */
const missingAs = (status: number, error: string): readonly [OpenAiReply, ModelErrorReason] => [
  { status, error },
  { _tag: "ModelMissing", model: base.model, detail: `HTTP ${status}: ${error}`, remedy: missing, command: undefined }
]
const refusedAs = (status: number, error: string, remedy: string): readonly [OpenAiReply, ModelErrorReason] => [
  { status, error },
  { _tag: "Refused", detail: `HTTP ${status}: ${error}`, remedy }
]
const overloadedAs = (status: number, error: string, headers = {}): readonly [OpenAiReply, ModelErrorReason] => [
  { status, error, headers },
  { _tag: "Busy", detail: `HTTP ${status}: ${error}`, isOverloaded: true }
]
const died = (detail: string, partial = "") => ({ _tag: "DiedMidStream", detail, partial }) as const
const noAnswer = (text: string) => died(`the server sent something that is not an answer of the OpenAI API: ${text}`)
const unsupported = "Unsupported value: 'reasoning_effort' does not support 'none'"

const failures: ReadonlyArray<readonly [name: string, reply: OpenAiReply, reason: ModelErrorReason]> = [
  [
    "a wrong key",
    { status: 401, body: openAiError(401, "Incorrect API key provided", "x").body },
    { _tag: "Refused", detail: "HTTP 401: Incorrect API key provided", remedy: check }
  ],
  ["a model that is not there", ...missingAs(404, `The model \`${fakeOpenAiModel}\` does not exist`)],
  ["a model that llama-server does not have beside others", ...missingAs(400, `model '${fakeOpenAiModel}' not found`)],
  [
    "a model that litellm does not have",
    ...missingAs(400, `/chat/completions: Invalid model name passed in model=${fakeOpenAiModel}. Call \`/v1/models\``)
  ],
  [
    "a path that is not there",
    ...refusedAs(404, "File Not Found", `No model server is at URL: correct the address. ${check}`)
  ],
  [
    "a prompt that is too long for llama.cpp",
    {
      status: 400,
      body: { error: { message: "too long", type: "exceed_context_size_error", n_prompt_tokens: 9000, n_ctx: 8192 } }
    },
    overflow
  ],
  [
    "a template of the model that refuses, with the reason in its second line",
    { status: 500, error: "While executing CallExpression:\nError: Jinja Exception: Roles must alternate!" },
    {
      _tag: "Refused",
      detail: "HTTP 500: While executing CallExpression: Error: Jinja Exception: Roles must alternate!",
      remedy: check
    }
  ],
  [
    "calls that together do not fit what they share",
    { errorEvent: { code: 500, message: "Context size has been exceeded.", type: "server_error" } },
    { _tag: "Busy", detail: "Context size has been exceeded", isShared: true }
  ],
  [
    "a prompt that is too long for LM Studio",
    {
      errorEvent: {
        message:
          "Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 8192 tokens, which is not enough."
      }
    },
    overflow
  ],
  [
    "a request that llama-cpp-python will never take",
    ...refusedAs(
      500,
      "1 validation error: {'type': 'literal_error', 'loc': ('body', 'response_format', 'type')}",
      check
    )
  ],
  [
    "a refused setting for thinking",
    { status: 400, error: unsupported },
    { _tag: "ThinkingRefused", detail: `HTTP 400: ${unsupported}` }
  ],
  ["too many requests", ...overloadedAs(429, "Rate limit reached", { "retry-after": "3" })],
  [
    "a server that broke",
    { status: 500, body: "<html>oops</html>" },
    { _tag: "Busy", detail: "HTTP 500: <html>oops</html>" }
  ],
  [
    "an error in the middle",
    { text: "one two", errorEvent: { message: "slot failed" } },
    died("slot failed", "one two")
  ],
  [
    "an error in the way of older servers",
    { chunks: ['error: {"code":500,"message":"slot failed","type":"server_error"}\n\n'] },
    died("slot failed")
  ],
  ["a connection that is cut", { text: "one two", cutAfter: 500 }, died("the connection was lost (ECONNRESET)", "one")],
  [
    "an end without a last event",
    { text: "one two", finish: null, stats: false, done: false },
    died("the answer ended without its last event", "one two")
  ],
  [
    "another program",
    { chunks: ["<!doctype html><html>Hello</html>\n"] },
    noAnswer("<!doctype html><html>Hello</html>")
  ],
  [
    "events of another shape",
    { chunks: ['data: {"choices":"none"}\n\ndata: [DONE]\n\n'] },
    noAnswer('{"choices":"none"}')
  ]
]

describe("a failure", () => {
  it.effect.each(failures)("%s", ([, reply, reason]) =>
    Effect.map(fail(reply), (error) => assert.deepStrictEqual(withoutUrl(error.reason), reason))
  )

  nodeTest("names what to check, and neither Ollama nor the key", function* () {
    const context = { host: "http://127.0.0.1:1/v1", model: base.model, partial: "" }
    const layer = layerOpenAi({ ...base, host: context.host, apiKey: Redacted.make("hush") })
    const error = yield* Effect.flip(Effect.provide(LanguageModel.generateText({ prompt: "Hello" }), layer))
    assert.strictEqual(
      fromAiError(error, context).message,
      'No model server answers at http://127.0.0.1:1/v1 (ECONNREFUSED). Start it, set OPENAI_BASE_URL (or "openaiBaseUrl" in your configuration), or use --model embedded.'
    )
  })
})
