import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import * as TestClock from "effect/testing/TestClock"
import { ModelError, type ModelErrorReason } from "../../../src/domain/models/ModelAnswer.ts"
import { fromAiError } from "../../../src/services/providers/ModelErrors.ts"
import { spoken } from "../../../src/services/providers/ollama/OllamaHost.ts"
import { layerOllama } from "../../../src/services/providers/ollama/OllamaModel.ts"
import { FakeOllama, type FakeServer } from "../../support/FakeOllama.ts"
import { chatLine, type Reply } from "../../support/FakeOllamaReply.ts"
import { withoutUrl } from "../../support/withoutUrl.ts"

const model = "qwen3:8b"
const { check, missing, start } = spoken.remedies(model)
const textCalls = "Use --tool-calls text, which every model can, or have the server take tools."

/** Streams one answer as the pipeline does: what arrived, the error of effect/ai, and what it becomes. */
const fail = (host: string, name = model) =>
  Effect.gen(function* () {
    let partial = ""
    const error = yield* LanguageModel.streamText({ prompt: "Hello" }).pipe(
      Stream.runForEach((part) =>
        Effect.sync(() => {
          if (part.type === "text-delta") partial += part.delta
        })
      ),
      Effect.flip
    )
    return { error, modelError: fromAiError(error, { host, model: name, partial }) }
  }).pipe(Effect.provide(layerOllama({ host, model: name, contextWindow: 8192, maxAnswerTokens: 2048 })))

const failWith = (reply: Reply) =>
  Effect.flatMap(
    FakeOllama.make(() => reply),
    ({ url }) => fail(url)
  )

const overflow = JSON.stringify({
  error: {
    code: 400,
    message: "request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it",
    type: "exceed_context_size_error",
    n_prompt_tokens: 9000,
    n_ctx: 8192
  }
})

const elsewhere = "No model server is at URL: correct the address."
const noAnswer = "the server sent something that is not an answer of Ollama:"

/** What the server does, and which reason the pipeline gets. */
const failures: ReadonlyArray<readonly [name: string, reply: Reply, reason: ModelErrorReason]> = [
  [
    "a bad request",
    { status: 400, error: "qwen3:8b does not support tools" },
    { _tag: "Refused", detail: "HTTP 400: qwen3:8b does not support tools", remedy: textCalls }
  ],
  [
    "a prompt that does not fit",
    { status: 400, error: overflow },
    { _tag: "ContextOverflow", estimated: 9000, window: 8192, isRefused: true }
  ],
  [
    "a prompt that does not fit, without a size",
    { status: 400, error: "the input length exceeds the context length" },
    { _tag: "ContextOverflow", estimated: 0, window: 0, isRefused: true }
  ],
  [
    "a bad key",
    { status: 401, error: "unauthorized" },
    { _tag: "Refused", detail: "HTTP 401: unauthorized", remedy: check }
  ],
  ["an empty purse", { status: 402, error: "pay" }, { _tag: "Refused", detail: "HTTP 402: pay", remedy: check }],
  ["a forbidden model", { status: 403, error: "no" }, { _tag: "Refused", detail: "HTTP 403: no", remedy: check }],
  [
    "a missing model",
    { status: 404, error: "model 'qwen3:8b' not found" },
    {
      _tag: "ModelMissing",
      model,
      detail: "HTTP 404: model 'qwen3:8b' not found",
      remedy: missing,
      command: `ollama pull ${model}`
    }
  ],
  [
    "another server",
    { status: 404, body: "404 page not found" },
    { _tag: "Refused", detail: "HTTP 404: 404 page not found", remedy: `${elsewhere} ${check}` }
  ],
  [
    "a server of files, which takes no POST",
    { status: 501, body: "<!DOCTYPE HTML>\n<html><head><title>Error response</title></head><body>Long.</body></html>" },
    { _tag: "Refused", detail: "HTTP 501: Error response", remedy: `${elsewhere} ${check}` }
  ],
  [
    "a large request",
    { status: 413, error: "too large" },
    { _tag: "Refused", detail: "HTTP 413: too large", remedy: check }
  ],
  ["a limit", { status: 429, error: "slow down" }, { _tag: "Busy", detail: "HTTP 429: slow down", isOverloaded: true }],
  [
    "a dead runner",
    { status: 500, error: "llama runner process has terminated" },
    { _tag: "Busy", detail: "HTTP 500: llama runner process has terminated" }
  ],
  ["a proxy", { status: 502, body: "" }, { _tag: "Busy", detail: "HTTP 502: Bad Gateway", isOverloaded: true }],
  [
    "a full queue",
    { status: 503, error: "server busy, please try again. maximum pending requests exceeded" },
    {
      _tag: "Busy",
      detail: "HTTP 503: server busy, please try again. maximum pending requests exceeded",
      isOverloaded: true
    }
  ],
  [
    "a model that cannot think",
    { status: 400, error: '"qwen3:8b" does not support thinking' },
    { _tag: "ThinkingRefused", detail: 'HTTP 400: "qwen3:8b" does not support thinking' }
  ],
  [
    "a model that has thinking in its name",
    { status: 400, error: '"qwen3:4b-thinking" does not support tools' },
    { _tag: "Refused", detail: 'HTTP 400: "qwen3:4b-thinking" does not support tools', remedy: textCalls }
  ],
  [
    "an old server",
    { status: 400, error: "json: cannot unmarshal string into Go struct field ChatRequest.think of type bool" },
    {
      _tag: "ThinkingRefused",
      detail: "HTTP 400: json: cannot unmarshal string into Go struct field ChatRequest.think of type bool"
    }
  ],
  ["a redirect", { status: 301, body: "moved" }, { _tag: "Refused", detail: "HTTP 301: moved", remedy: check }],
  ["an error line at once", { errorLine: "no memory" }, { _tag: "DiedMidStream", detail: "no memory", partial: "" }],
  [
    "an error line in the middle",
    { text: "one two", errorLine: "token repeat limit reached" },
    { _tag: "DiedMidStream", detail: "token repeat limit reached", partial: "one two" }
  ],
  [
    "a line that is not JSON",
    { text: "one two", extraLines: ["<html>"] },
    { _tag: "DiedMidStream", detail: `${noAnswer} <html>`, partial: "one two" }
  ],
  [
    "a line of another shape",
    { text: "one two", extraLines: ['{"message":"three"}'] },
    { _tag: "DiedMidStream", detail: `${noAnswer} {"message":"three"}`, partial: "one two" }
  ],
  [
    "an end without the last line",
    { text: "one two", done: false },
    { _tag: "DiedMidStream", detail: "the answer ended without its last line", partial: "one two" }
  ],
  [
    "an empty body",
    { chunks: [] },
    { _tag: "DiedMidStream", detail: "the answer ended without its last line", partial: "" }
  ],
  [
    "a body that ends inside a character",
    {
      chunks: [
        chatLine(model, { content: "one" }),
        "\n",
        Buffer.from(chatLine(model, { content: "世" })).subarray(0, -16)
      ]
    },
    { _tag: "DiedMidStream", detail: "the answer ended in the middle of a line", partial: "one" }
  ],
  [
    "a lost connection",
    { text: "one two three", cutAfter: chatLine(model, { content: "one" }).length + 20 },
    { _tag: "DiedMidStream", detail: "the connection was lost (ECONNRESET)", partial: "one" }
  ],
  [
    "a connection lost at once",
    { text: "one", cutAfter: 1 },
    { _tag: "DiedMidStream", detail: "the connection was lost (ECONNRESET)", partial: "" }
  ],
  [
    "a line without end",
    { chunks: [Buffer.alloc(8 * 1024 * 1024, "x"), "x"], end: false },
    { _tag: "DiedMidStream", detail: "the server sent more than 8388608 bytes in one piece", partial: "" }
  ]
]

const afterSilence = (reply: Reply, use: (server: FakeServer) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    const server = yield* FakeOllama.make(() => reply)
    const fiber = yield* Effect.forkChild(fail(server.url))
    yield* server.until(({ chats }) => chats.length === 1)
    yield* use(server)
    return (yield* Fiber.join(fiber)).modelError
  })

describe("an answer of Ollama", () => {
  it.effect.each(failures)("fails with %s", ([, reply, reason]) =>
    Effect.gen(function* () {
      const { error, modelError } = yield* failWith(reply)
      assert.deepStrictEqual([error.module, error.method], ["OllamaModel", "streamText"])
      assert.deepStrictEqual(withoutUrl(modelError.reason), reason)
    })
  )

  it.effect("fails when the server does not have the model", () =>
    Effect.gen(function* () {
      const { url } = yield* FakeOllama.make(() => "never")
      const { modelError } = yield* fail(url, "gone:7b")
      assert.deepStrictEqual(
        modelError,
        new ModelError({
          reason: {
            _tag: "ModelMissing",
            model: "gone:7b",
            detail: "HTTP 404: model 'gone:7b' not found",
            remedy: spoken.remedies("gone:7b").missing,
            command: "ollama pull gone:7b"
          }
        })
      )
      assert.isTrue(modelError.isUnavailable)
    })
  )

  it.effect.each([
    { name: "nothing listens", host: "http://127.0.0.1:1", detail: "ECONNREFUSED" },
    {
      name: "the address is none",
      host: "http://no host",
      detail: '"http://no host" is not an address'
    }
  ])("fails when $name", ({ host, detail }) =>
    Effect.gen(function* () {
      const { modelError } = yield* fail(host)
      assert.deepStrictEqual(
        modelError,
        new ModelError({ reason: { _tag: "Unreachable", host, detail, remedy: start } })
      )
    })
  )

  it.effect("counts five minutes without a first token as busy, and names the limit", () =>
    Effect.gen(function* () {
      const error = yield* afterSilence({ hold: "never" }, () => TestClock.adjust("5 minutes"))
      const limit = { name: "firstWordSeconds" as const, seconds: 300 }
      assert.deepStrictEqual(
        error,
        new ModelError({ reason: { _tag: "Busy", detail: "no first token within 5m", limit } })
      )
      assert.include(error.message, "The limit limits.firstWordSeconds (300 s) ended the call")
    })
  )
})

describe("another provider", () => {
  const context = { host: "https://api.example.org", model: "m", partial: "" }
  const translate = (reason: AiError.AiErrorReason, partial = "") =>
    fromAiError(AiError.make({ module: "Other", method: "streamText", reason }), { ...context, partial }).reason

  const network = new AiError.NetworkError({
    reason: "TransportError",
    method: "POST",
    url: "https://api.example.org/v1",
    description: "connection reset"
  })

  it.each([
    [network, { _tag: "Unreachable", host: context.host, detail: "connection reset" }],
    [new AiError.RateLimitError({}), { _tag: "Busy", detail: "Rate limit exceeded", isOverloaded: true }],
    [new AiError.InternalProviderError({ description: "Server error." }), { _tag: "Busy", detail: "Server error" }],
    [
      new AiError.InvalidRequestError({ parameter: "model", description: "no such model" }),
      { _tag: "ModelMissing", model: "m", detail: "no such model" }
    ],
    [
      new AiError.InvalidRequestError({ description: "too many messages" }),
      { _tag: "Refused", detail: "too many messages" }
    ],
    [
      new AiError.AuthenticationError({ kind: "MissingKey" }),
      { _tag: "Refused", detail: "MissingKey: No API key provided. Set the appropriate environment variable" }
    ],
    [new AiError.ContentPolicyError({ description: "not this" }), { _tag: "Refused", detail: "not this" }],
    [
      new AiError.InvalidOutputError({ description: "first line\nsecond line" }),
      { _tag: "DiedMidStream", detail: "first line second line", partial: "" }
    ]
  ] satisfies ReadonlyArray<readonly [AiError.AiErrorReason, ModelErrorReason]>)(
    "translates %s",
    (reason, expected) => {
      assert.deepStrictEqual(translate(reason), expected)
    }
  )

  it("counts a passing failure in the middle of an answer as broken off", () => {
    assert.deepStrictEqual(translate(network, "half"), {
      _tag: "DiedMidStream",
      detail: "connection reset",
      partial: "half"
    })
    assert.deepStrictEqual(translate(new AiError.InternalProviderError({ description: "gone" }), "half"), {
      _tag: "DiedMidStream",
      detail: "gone",
      partial: "half"
    })
  })
})
