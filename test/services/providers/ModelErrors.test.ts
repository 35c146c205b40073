import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import { ModelError, type ModelErrorReason } from "../../../src/domain/models/ModelAnswer.ts"
import { fromAiError } from "../../../src/services/providers/ModelErrors.ts"
import { spoken } from "../../../src/services/providers/ollama/OllamaHost.ts"
import { layerOllama } from "../../../src/services/providers/ollama/OllamaModel.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import { chatLine, type Reply } from "../../support/FakeOllamaReply.ts"
import { withoutUrl } from "../../support/withoutUrl.ts"
import { nodeTest } from "../../support/nodeTest.ts"

const model = "qwen3:8b"
const { check } = spoken.remedies(model)
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

/** A reply of this status, and the reason that repeats its error. */
const answered = (
  status: number,
  error: string,
  reason: (detail: string) => ModelErrorReason
): readonly [Reply, ModelErrorReason] => [{ status, error }, reason(`HTTP ${status}: ${error}`)]
const withoutTools = (detail: string) => refused(detail, textCalls)

/** What the server does, and which reason the pipeline gets. */
const failures: ReadonlyArray<readonly [name: string, reply: Reply, reason: ModelErrorReason]> = [
  ["a bad request", ...answered(400, "qwen3:8b does not support tools", withoutTools)],
  ["a prompt that does not fit", { status: 400, error: overflow }, tooLong(9000, 8192)],
  ["a bad key", ...answered(401, "unauthorized", refused)],
  ["a missing model", { status: 404, error: `model '${model}' not found` }, missingModel(model)],
  ["another server", { status: 404, body: "404 page not found" }, refused("HTTP 404: 404 page not found", elsewhere)],
  [
    "a server of files, which takes no POST",
    { status: 501, body: page },
    refused("HTTP 501: Error response", elsewhere)
  ],
  ["a large request", ...answered(413, "too large", refused)],
  ["a limit", ...answered(429, "slow down", overloaded)],
  ["a dead runner", ...answered(500, "llama runner has terminated", busy)],
  ["a proxy", { status: 502, body: "" }, overloaded("HTTP 502: Bad Gateway")],
  ["a full queue", ...answered(503, "server busy", overloaded)],
  ["a model that cannot think", ...answered(400, '"qwen3:8b" does not support thinking', noThinking)],
  ["thinking in the name of a model", ...answered(400, '"qwen3:4b-thinking" does not support tools', withoutTools)],
  ["an old server", ...answered(400, oldServer, noThinking)],
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
  [
    "a line without end",
    { chunks: [Buffer.alloc(8 * 1024 * 1024, "x"), "x"], end: false },
    died("the server sent more than 8388608 bytes in one piece")
  ]
]

describe("an answer of Ollama", () => {
  nodeTest.each(failures)("fails with %s", function* ([, reply, reason]) {
    const { error, modelError } = yield* failWith(reply)
    expect([error.module, error.method]).toStrictEqual(["OllamaModel", "streamText"])
    expect(withoutUrl(modelError.reason)).toStrictEqual(reason)
  })

  nodeTest("fails when there is no such model, and says that it is not available", function* () {
    const { url } = yield* FakeOllama.make(() => "never")
    const { modelError } = yield* fail(url, "gone:7b")
    expect(modelError).toStrictEqual(new ModelError({ reason: missingModel("gone:7b") }))
    expect(modelError.isUnavailable).toBe(true)
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
    expect(translate(reason)).toStrictEqual(translated)
  })

  it("counts a passing failure in the middle of an answer as broken off", () => {
    expect(translate(network, "half")).toStrictEqual(died("connection reset", "half"))
    const gone = new AiError.InternalProviderError({ description: "gone" })
    expect(translate(gone, "half")).toStrictEqual(died("gone", "half"))
  })
})
