import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import * as TestClock from "effect/testing/TestClock"
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
  LanguageModel.generateText({ prompt: "?", toolkit: tools, toolChoice, disableToolCallResolution: true })

describe("what is sent", () => {
  it.effect("streams a bounded answer with its counts, to the name without its prefix", () =>
    withReply("Hi", ({ chats, requests }) =>
      Effect.gen(function* () {
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
      })
    )
  )

  it.effect("has the key, sampling and thinking that are set, and nothing of what is not", () =>
    withReply(
      "Hi",
      ({ chats, requests }) =>
        Effect.gen(function* () {
          yield* askWith({
            sampling: { temperature: 0.5, topP: 0.9, topK: 40, minP: 0.1, seed: 7, repeatPenalty: 1.1 }
          })
          yield* askWith({ sampling: {}, think: false, maxTokens: 99, contextWindow: 4096 })
          yield* askWith({ sampling: {}, think: true })
          yield* askWith({ sampling: {}, think: "high" })
          const more = chats.map(({ messages: _messages, ...rest }) => rest)
          assert.deepStrictEqual<unknown>(more, [
            {
              ...sent,
              reasoning_effort: "low",
              temperature: 0.5,
              top_p: 0.9,
              top_k: 40,
              min_p: 0.1,
              seed: 7,
              repeat_penalty: 1.1
            },
            { ...sent, max_tokens: 99, reasoning_effort: "none" },
            { ...sent, reasoning_effort: "medium" },
            { ...sent, reasoning_effort: "high" }
          ])
          assert.deepStrictEqual(
            requests.map(({ headers, method, path }) => [method, path, headers.authorization])[0],
            ["POST", "/v1/chat/completions", "Bearer secret"]
          )
        }),
      { apiKey: Redacted.make("secret"), think: "low" }
    )
  )

  it.effect("tells calls and their results as the API wants them, without thoughts", () =>
    withReply("Rain.", ({ chats }) =>
      Effect.gen(function* () {
        yield* streamed([
          {
            role: "user",
            content: [{ type: "text", text: "Where is this?" }]
          },
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
    )
  )

  it.effect("offers tools, and makes a call a must where that is wanted", () =>
    withReply("No.", ({ chats }) =>
      Effect.gen(function* () {
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
        assert.deepStrictEqual<unknown>(offered?.[0], {
          type: "function",
          function: {
            name: "get_weather",
            description: "Tells the weather of a city.",
            parameters: {
              type: "object",
              properties: { city: { type: "string" } },
              required: ["city"],
              additionalProperties: true
            }
          }
        })
      }).pipe(Effect.provide(handlers))
    )
  )

  it.effect("binds the answer to a schema, or to any object", () =>
    withReply('{"city":"Rome"}', ({ chats }) =>
      Effect.gen(function* () {
        const schema = Schema.Struct({ city: Schema.String })
        const { value } = yield* LanguageModel.generateObject({ prompt: "?", schema, objectName: "place" })
        assert.deepStrictEqual(value, { city: "Rome" })
        yield* LanguageModel.generateObject({ prompt: "?", schema: Schema.Record(Schema.String, Schema.Unknown) })
        assert.deepStrictEqual<unknown>(
          chats.map(({ response_format }) => response_format),
          [
            {
              type: "json_schema",
              json_schema: {
                name: "place",
                strict: true,
                schema: {
                  type: "object",
                  properties: { city: { type: "string" } },
                  required: ["city"],
                  additionalProperties: false
                }
              }
            },
            { type: "json_object" }
          ]
        )
      })
    )
  )
})

describe("what is read", () => {
  it.effect("is text with its counts and the reason of its end", () =>
    withReply({ text: "Grüße, 👩‍👩‍👧!", promptTokens: 7, answerTokens: 3, cachedTokens: 2 }, () =>
      Effect.gen(function* () {
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
      })
    )
  )

  const forms: ReadonlyArray<readonly [name: string, reply: OpenAiReply]> = [
    ["thoughts as reasoning_content", {}],
    ["thoughts as reasoning", { thinkingKey: "reasoning" }],
    ["chunks that cut through everything", { chunkBytes: 3 }],
    ["other ends of lines", { lineEnd: "\r\n", chunkBytes: 1 }],
    ["comments that keep the connection open", { before: ": keep-alive\n\nevent: message\nid: 7\n\n" }],
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

  it.effect.each([true, false])("is two calls whose pieces are told apart (with an index: %s)", (indexed) =>
    withReply(
      { toolCalls: [callWeather, { id: "call_2", name: "get_time", arguments: "" }], argumentBytes: 5, indexed },
      () =>
        Effect.gen(function* () {
          const calls = (yield* streamedWithTools).filter(({ type }) => type === "tool-call")
          assert.deepStrictEqual(
            calls.map(({ id, name, params }) => [id, name, params]),
            [
              ["call_1", "get_weather", { city: 'Rome "a"' }],
              ["call_2", "get_time", {}]
            ]
          )
        })
    )
  )

  it.effect("gives the arguments as they come, so that a loop in them is seen", () =>
    withReply({ toolCalls: [callWeather], argumentBytes: 5 }, () =>
      Effect.gen(function* () {
        const parts = yield* streamedWithTools
        assert.strictEqual(textOf(parts, "tool-params-delta"), callWeather.arguments)
      })
    )
  )

  it.effect("has arguments that are no JSON as text, and an id where the server gave none", () =>
    withReply({ toolCalls: [{ name: "get_weather", arguments: '{"city": Rome' }] }, () =>
      Effect.gen(function* () {
        const call = (yield* streamedWithTools).find(({ type }) => type === "tool-call")
        assert.strictEqual(call?.["params"], '{"city": Rome')
        assert.isNotEmpty(call?.["id"])
      })
    )
  )

  it.effect.each([
    ["length", "length"],
    ["content_filter", "content-filter"],
    ["stop", "stop"],
    ["eos", "other"]
  ])("ends with %s as %s", ([given, reason]) =>
    withReply({ text: "a", finish: given ?? "" }, () =>
      Effect.map(streamed("Hello"), (parts) => assert.strictEqual(parts.at(-1)?.["reason"], reason))
    )
  )

  it.effect("leaves the connection for the next request", () =>
    withReply("Hi", (server) =>
      Effect.gen(function* () {
        yield* streamed("one")
        yield* streamed("two")
        assert.strictEqual(server.acceptedCount(), 1)
      })
    )
  )
})

/** The error of the domain for a reply. */
const fail = (reply: OpenAiReply) =>
  Effect.gen(function* () {
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
const textCalls = "Use --tool-calls text, which every model can, or have the server take tools."
const tooLong = (message: string, rest = {}) => ({
  status: 400,
  body: { error: { message, type: "invalid_request_error", ...rest } }
})

const failures: ReadonlyArray<readonly [name: string, reply: OpenAiReply, reason: ModelErrorReason]> = [
  [
    "a wrong key",
    { status: 401, body: openAiError(401, "Incorrect API key provided", "x").body },
    { _tag: "Refused", detail: "HTTP 401: Incorrect API key provided", remedy: check }
  ],
  [
    "a model that is not there",
    { status: 404, error: `The model \`${fakeOpenAiModel}\` does not exist.` },
    {
      _tag: "ModelMissing",
      model: base.model,
      detail: `HTTP 404: The model \`${fakeOpenAiModel}\` does not exist`,
      remedy: missing,
      command: undefined
    }
  ],
  [
    "a model that llama-server does not have beside others",
    { status: 400, error: `model '${fakeOpenAiModel}' not found` },
    {
      _tag: "ModelMissing",
      model: base.model,
      detail: `HTTP 400: model '${fakeOpenAiModel}' not found`,
      remedy: missing,
      command: undefined
    }
  ],
  [
    "a model that litellm does not have",
    {
      status: 400,
      body: {
        error: {
          message: `/chat/completions: Invalid model name passed in model=${fakeOpenAiModel}. Call \`/v1/models\` to view available models for your key`,
          type: "None",
          param: "None",
          code: "400"
        }
      }
    },
    {
      _tag: "ModelMissing",
      model: base.model,
      detail: `HTTP 400: /chat/completions: Invalid model name passed in model=${fakeOpenAiModel}. Call \`/v1/models\` to view available models for your key`,
      remedy: missing,
      command: undefined
    }
  ],
  [
    "a path that is not there",
    { status: 404, error: "File Not Found" },
    {
      _tag: "Refused",
      detail: "HTTP 404: File Not Found",
      remedy: `No model server is at URL: correct the address. ${check}`
    }
  ],
  [
    "a prompt that is too long for llama.cpp",
    tooLong("request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it", {
      code: 400,
      type: "exceed_context_size_error",
      n_prompt_tokens: 9000,
      n_ctx: 8192
    }),
    overflow
  ],
  [
    "a prompt that is too long for OpenAI",
    tooLong(
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. Please reduce the length of the messages.",
      { code: "context_length_exceeded" }
    ),
    overflow
  ],
  [
    "a prompt that is too long for vLLM",
    tooLong(
      "This model's maximum context length is 8192 tokens. However, you requested 9500 tokens (9000 in the messages, 500 in the completion)."
    ),
    overflow
  ],
  [
    "a prompt that is too long for a newer vLLM",
    tooLong(
      "'max_tokens' is too large: 500. This model's maximum context length is 8192 tokens and your request has 9000 input tokens"
    ),
    overflow
  ],
  [
    "a prompt that is too long for Ollama behind /v1",
    {
      status: 400,
      body: {
        error: {
          message:
            '{"error":{"code":400,"message":"request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":8192}}',
          type: "invalid_request_error",
          param: null,
          code: null
        }
      }
    },
    overflow
  ],
  [
    "a prompt that is too long for a server behind litellm",
    tooLong(
      "litellm.BadRequestError: OpenAIException - Error code: 400 - {'error': {'message': \"request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it\"}}. Received Model Group=tiny"
    ),
    overflow
  ],
  [
    "a prompt that is too long by the JSON that a proxy put into its text",
    tooLong('litellm.APIError: APIError: OllamaException - {"n_prompt_tokens":9000,"n_ctx":8192}'),
    overflow
  ],
  [
    "a template of the model that refuses, with the reason in its second line",
    {
      status: 500,
      body: {
        error: { code: 500, message: "While executing CallExpression:\nError: Jinja Exception: Roles must alternate!" }
      }
    },
    {
      _tag: "Refused",
      detail: "HTTP 500: While executing CallExpression: Error: Jinja Exception: Roles must alternate!",
      remedy: "Check OPENAI_BASE_URL, OPENAI_API_KEY and the model."
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
    {
      status: 500,
      error: "1 validation error: {'type': 'literal_error', 'loc': ('body', 'response_format', 'type')}"
    },
    {
      _tag: "Refused",
      detail: "HTTP 500: 1 validation error: {'type': 'literal_error', 'loc': ('body', 'response_format', 'type')}",
      remedy: check
    }
  ],
  [
    "another bad request",
    { status: 400, error: "tools are not supported" },
    { _tag: "Refused", detail: "HTTP 400: tools are not supported", remedy: textCalls }
  ],
  [
    "a refused setting for thinking",
    { status: 400, error: "Unsupported value: 'reasoning_effort' does not support 'none'" },
    {
      _tag: "ThinkingRefused",
      detail: "HTTP 400: Unsupported value: 'reasoning_effort' does not support 'none'"
    }
  ],
  [
    "too many requests",
    { status: 429, error: "Rate limit reached", headers: { "retry-after": "3" } },
    { _tag: "Busy", detail: "HTTP 429: Rate limit reached", isOverloaded: true }
  ],
  [
    "a server that loads its model",
    { status: 503, error: "Loading model" },
    { _tag: "Busy", detail: "HTTP 503: Loading model", isOverloaded: true }
  ],
  [
    "a server that broke",
    { status: 500, body: "<html>oops</html>" },
    { _tag: "Busy", detail: "HTTP 500: <html>oops</html>" }
  ],
  [
    "an error in the middle",
    { text: "one two", errorEvent: { message: "slot failed" } },
    { _tag: "DiedMidStream", detail: "slot failed", partial: "one two" }
  ],
  [
    "an error in the way of older servers",
    { chunks: ['error: {"code":500,"message":"slot failed","type":"server_error"}\n\n'] },
    { _tag: "DiedMidStream", detail: "slot failed", partial: "" }
  ],
  [
    "a connection that is cut",
    { text: "one two", cutAfter: 500 },
    { _tag: "DiedMidStream", detail: "the connection was lost (ECONNRESET)", partial: "one" }
  ],
  [
    "an end without a last event",
    { text: "one two", finish: null, stats: false, done: false },
    { _tag: "DiedMidStream", detail: "the answer ended without its last event", partial: "one two" }
  ],
  [
    "an end in the middle of an event",
    { chunks: ['data: {"choices":[{"delta":{"content":"one"}}]}\n\ndata: {"cho'] },
    { _tag: "DiedMidStream", detail: "the answer ended without its last event", partial: "one" }
  ],
  [
    "another program",
    { chunks: ["<!doctype html><html>Hello</html>\n"] },
    {
      _tag: "DiedMidStream",
      detail: "the server sent something that is not an answer of the OpenAI API: <!doctype html><html>Hello</html>",
      partial: ""
    }
  ],
  [
    "events that are no objects",
    { chunks: ["data: 42\n\n"] },
    {
      _tag: "DiedMidStream",
      detail: "the server sent something that is not an answer of the OpenAI API: 42",
      partial: ""
    }
  ],
  [
    "events of another shape",
    { chunks: ['data: {"choices":"none"}\n\ndata: [DONE]\n\n'] },
    {
      _tag: "DiedMidStream",
      detail: 'the server sent something that is not an answer of the OpenAI API: {"choices":"none"}',
      partial: ""
    }
  ]
]

describe("a failure", () => {
  it.effect.each(failures)("%s", ([, reply, reason]) =>
    Effect.map(fail(reply), (error) => assert.deepStrictEqual(withoutUrl(error.reason), reason))
  )

  it.effect("names what to check, and neither Ollama nor the key", () =>
    Effect.gen(function* () {
      const messages = [
        (yield* fail({ status: 401, error: "no" })).message,
        (yield* fail({ status: 404, error: `no model ${fakeOpenAiModel}` })).message,
        fromAiError(
          yield* LanguageModel.generateText({ prompt: "Hello" }).pipe(
            Effect.flip,
            Effect.provide(layerOpenAi({ ...base, host: "http://127.0.0.1:1/v1", apiKey: Redacted.make("hush") }))
          ),
          { host: "http://127.0.0.1:1/v1", model: base.model, partial: "" }
        ).message
      ]
      assert.deepStrictEqual(messages, [
        "The model server refused the request (HTTP 401: no). Check OPENAI_BASE_URL, OPENAI_API_KEY and the model.",
        `The model "${base.model}" is not on the server (HTTP 404: no model ${fakeOpenAiModel}). Choose one that the server offers with --model openai:NAME.`,
        'No model server answers at http://127.0.0.1:1/v1 (ECONNREFUSED). Start it, set OPENAI_BASE_URL (or "openaiBaseUrl" in your configuration), or use --model embedded.'
      ])
    })
  )

  it.effect("is a limit of time that passes, in each phase", () =>
    Effect.gen(function* () {
      const late = Effect.fnUntraced(function* (reply: OpenAiReply, seconds: number) {
        const server = yield* FakeOpenAi.make(() => reply)
        const answer = yield* Effect.forkChild(
          streamed("Hello").pipe(
            Effect.flip,
            Effect.provide(layerOpenAi({ ...base, host: server.url })),
            Effect.provideService(CallOptions, {
              sampling: {},
              seconds: { connect: 15, firstWord: 5, nextWord: 3, call: 60 }
            })
          )
        )
        yield* server.until(({ chats }) => chats.length === 1)
        // The pieces before the latch have to be read before time passes.
        for (let turn = 0; turn < 20; turn++) yield* Effect.promise(() => new Promise(setImmediate))
        yield* TestClock.adjust(`${seconds} seconds`)
        const error = yield* Fiber.join(answer)
        yield* server.until(({ abortedCount }) => abortedCount() === 1)
        return "message" in error ? String(error.message) : ""
      })
      assert.include(yield* late({ hold: "never" }, 6), "no first token within 5s")
      assert.include(yield* late({ text: "one two", holdAfter: { events: 2, latch: "never" } }, 4), "within 3s")
    })
  )

  it.effect("leaves the server free when the reader stops", () =>
    withReply({ text: "one two", holdAfter: { events: 2, latch: "never" } }, (server) =>
      Effect.gen(function* () {
        yield* LanguageModel.streamText({ prompt: "Hello" }).pipe(
          Stream.takeUntil(({ type }) => type === "text-delta"),
          Stream.runDrain
        )
        yield* server.until(({ connections }) => connections() === 0)
        assert.strictEqual(server.abortedCount(), 1)
      })
    )
  )
})
