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
import { FakeOllama } from "../../support/FakeOllama.ts"
import { chatLine, type Reply } from "../../support/FakeOllamaReply.ts"
import { withoutUrl } from "../../support/withoutUrl.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const model = "qwen3:8b"
const { check, start } = spoken.remedies(model)
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

const elsewhere = `No model server is at URL: correct the address. ${check}`
const noAnswer = "the server sent something that is not an answer of Ollama:"
const oldServer = "json: cannot unmarshal string into Go struct field ChatRequest.think of type bool"
const page = "<!DOCTYPE HTML>\n<html><head><title>Error response</title></head><body>Long.</body></html>"

const refused = (detail: string, remedy = check): ModelErrorReason => ({ _tag: "Refused", detail, remedy })
const busy = (detail: string): ModelErrorReason => ({ _tag: "Busy", detail })
const overloaded = (detail: string): ModelErrorReason => ({ _tag: "Busy", detail, isOverloaded: true })
const tooLong = (estimated: number, window: number): ModelErrorReason => ({
  _tag: "ContextOverflow",
  estimated,
  window,
  isRefused: true
})
const noThinking = (detail: string): ModelErrorReason => ({ _tag: "ThinkingRefused", detail })
const died = (detail: string, partial = ""): ModelErrorReason => ({ _tag: "DiedMidStream", detail, partial })
const missingModel = (name: string): ModelErrorReason => ({
  _tag: "ModelMissing",
  model: name,
  detail: `HTTP 404: model '${name}' not found`,
  remedy: spoken.remedies(name).missing,
  command: `ollama pull ${name}`
})

/** What the server does, and which reason the pipeline gets. */
const failures: ReadonlyArray<readonly [name: string, reply: Reply, reason: ModelErrorReason]> = [
  [
    "a bad request",
    { status: 400, error: "qwen3:8b does not support tools" },
    refused("HTTP 400: qwen3:8b does not support tools", textCalls)
  ],
  ["a prompt that does not fit", { status: 400, error: overflow }, tooLong(9000, 8192)],
  [
    "a prompt that does not fit, without a size",
    { status: 400, error: "the input length exceeds the context length" },
    tooLong(0, 0)
  ],
  ["a bad key", { status: 401, error: "unauthorized" }, refused("HTTP 401: unauthorized")],
  ["an empty purse", { status: 402, error: "pay" }, refused("HTTP 402: pay")],
  ["a forbidden model", { status: 403, error: "no" }, refused("HTTP 403: no")],
  ["a missing model", { status: 404, error: `model '${model}' not found` }, missingModel(model)],
  ["another server", { status: 404, body: "404 page not found" }, refused("HTTP 404: 404 page not found", elsewhere)],
  [
    "a server of files, which takes no POST",
    { status: 501, body: page },
    refused("HTTP 501: Error response", elsewhere)
  ],
  ["a large request", { status: 413, error: "too large" }, refused("HTTP 413: too large")],
  ["a limit", { status: 429, error: "slow down" }, overloaded("HTTP 429: slow down")],
  [
    "a dead runner",
    { status: 500, error: "llama runner has terminated" },
    busy("HTTP 500: llama runner has terminated")
  ],
  ["a proxy", { status: 502, body: "" }, overloaded("HTTP 502: Bad Gateway")],
  [
    "a full queue",
    { status: 503, error: "server busy. maximum pending requests exceeded" },
    overloaded("HTTP 503: server busy. maximum pending requests exceeded")
  ],
  [
    "a model that cannot think",
    { status: 400, error: '"qwen3:8b" does not support thinking' },
    noThinking('HTTP 400: "qwen3:8b" does not support thinking')
  ],
  [
    "a model that has thinking in its name",
    { status: 400, error: '"qwen3:4b-thinking" does not support tools' },
    refused('HTTP 400: "qwen3:4b-thinking" does not support tools', textCalls)
  ],
  ["an old server", { status: 400, error: oldServer }, noThinking(`HTTP 400: ${oldServer}`)],
  ["a redirect", { status: 301, body: "moved" }, refused("HTTP 301: moved")],
  ["an error line at once", { errorLine: "no memory" }, died("no memory")],
  ["an error line in the middle", { text: "one two", errorLine: "token limit" }, died("token limit", "one two")],
  ["a line that is not JSON", { text: "one two", extraLines: ["<html>"] }, died(`${noAnswer} <html>`, "one two")],
  [
    "a line of another shape",
    { text: "one two", extraLines: ['{"message":"three"}'] },
    died(`${noAnswer} {"message":"three"}`, "one two")
  ],
  ["an empty body", { chunks: [] }, died("the answer ended without its last line")],
  [
    "a lost connection",
    { text: "one two three", cutAfter: chatLine(model, { content: "one" }).length + 20 },
    died("the connection was lost (ECONNRESET)", "one")
  ],
  ["a connection lost at once", { text: "one", cutAfter: 1 }, died("the connection was lost (ECONNRESET)")],
  [
    "a line without end",
    { chunks: [Buffer.alloc(8 * 1024 * 1024, "x"), "x"], end: false },
    died("the server sent more than 8388608 bytes in one piece")
  ]
]

describe("an answer of Ollama", () => {
  it.effect.each(failures)("fails with %s", ([, reply, reason]) =>
    Effect.gen(function* () {
      const { error, modelError } = yield* failWith(reply)
      assert.deepStrictEqual([error.module, error.method], ["OllamaModel", "streamText"])
      assert.deepStrictEqual(withoutUrl(modelError.reason), reason)
    })
  )

  nodeTest("fails when there is no such model or no server, and says that it is not available", function* () {
    const { url } = yield* FakeOllama.make(() => "never")
    const { modelError } = yield* fail(url, "gone:7b")
    assert.deepStrictEqual(modelError, new ModelError({ reason: missingModel("gone:7b") }))
    assert.isTrue(modelError.isUnavailable)
    for (const [host, detail] of [
      ["http://127.0.0.1:1", "ECONNREFUSED"],
      ["http://no host", '"http://no host" is not an address']
    ] as const) {
      const reason = { _tag: "Unreachable", host, detail, remedy: start } as const
      assert.deepStrictEqual((yield* fail(host)).modelError, new ModelError({ reason }))
    }
  })

  nodeTest("counts five minutes without a first token as busy, and names the limit", function* () {
    const server = yield* FakeOllama.make(() => ({ hold: "never" }))
    const fiber = yield* Effect.forkChild(fail(server.url))
    yield* server.until(({ chats }) => chats.length === 1)
    yield* TestClock.adjust("5 minutes")
    const { modelError: error } = yield* Fiber.join(fiber)
    const limit = { name: "firstWordSeconds" as const, seconds: 300 }
    assert.deepStrictEqual(
      error,
      new ModelError({ reason: { _tag: "Busy", detail: "no first token within 5m", limit } })
    )
    assert.include(error.message, "The limit limits.firstWordSeconds (300 s) ended the call")
  })
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

  const rows: ReadonlyArray<readonly [reason: AiError.AiErrorReason, translated: ModelErrorReason]> = [
    [network, { _tag: "Unreachable", host: context.host, detail: "connection reset" }],
    [new AiError.RateLimitError({}), overloaded("Rate limit exceeded")],
    [new AiError.InternalProviderError({ description: "Server error." }), busy("Server error")],
    [
      new AiError.InvalidRequestError({ parameter: "model", description: "no such model" }),
      { _tag: "ModelMissing", model: "m", detail: "no such model" }
    ],
    [new AiError.InvalidRequestError({ description: "too many" }), { _tag: "Refused", detail: "too many" }],
    [
      new AiError.AuthenticationError({ kind: "MissingKey" }),
      { _tag: "Refused", detail: "MissingKey: No API key provided. Set the appropriate environment variable" }
    ],
    [new AiError.ContentPolicyError({ description: "not this" }), { _tag: "Refused", detail: "not this" }],
    [new AiError.InvalidOutputError({ description: "first line\nsecond line" }), died("first line second line")]
  ]
  it.each(rows)("translates %s", (reason, translated) => {
    assert.deepStrictEqual(translate(reason), translated)
  })

  it("counts a passing failure in the middle of an answer as broken off", () => {
    assert.deepStrictEqual(translate(network, "half"), died("connection reset", "half"))
    const gone = new AiError.InternalProviderError({ description: "gone" })
    assert.deepStrictEqual(translate(gone, "half"), died("gone", "half"))
  })
})
