import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { ModelError, type ModelErrorReason } from "../../../../src/domain/models/ModelAnswer.ts"
import type { ServerConnection } from "../../../../src/services/providers/Provider.ts"
import { spoken } from "../../../../src/services/providers/ollama/OllamaHost.ts"
import { connectOllama, type OllamaServer } from "../../../../src/services/providers/ollama/OllamaServer.ts"
import { FakeOllama, type FakeOllamaOptions } from "../../../support/FakeOllama.ts"
import { withoutUrl } from "../../../support/withoutUrl.ts"

const withServer = <A, E>(
  options: FakeOllamaOptions,
  use: (server: OllamaServer, fake: FakeOllama["Service"]) => Effect.Effect<A, E>,
  own: Partial<ServerConnection> = {}
) =>
  Effect.gen(function* () {
    const fake = yield* FakeOllama.make(() => "hello", options)
    return yield* use(yield* connectOllama({ host: fake.url, ...own }), fake)
  })

const { remedies } = spoken
const { check, start } = remedies("")

const failure = (reason: ModelErrorReason) => new ModelError({ reason })

const models = [
  { name: "qwen3:8b", size: 5000 },
  { name: "tiny:latest", size: 20, capabilities: ["completion"], contextLength: 2048 }
]

const odd = (excerpt: string): ModelErrorReason => ({
  _tag: "DiedMidStream",
  detail: `the server sent something that is not an answer of Ollama: ${excerpt}`,
  partial: ""
})

describe("OllamaServer", () => {
  it.effect("tells version and installed models over one connection", () =>
    withServer({ models }, (server, fake) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* server.version, "0.32.9")
        assert.deepStrictEqual(yield* server.models, [
          { name: "qwen3:8b", size: 5000 },
          { name: "tiny:latest", size: 20 }
        ])
        assert.deepStrictEqual(
          fake.requests.map(({ method, path }) => [method, path]),
          [
            ["GET", "/api/version"],
            ["GET", "/api/tags"]
          ]
        )
        assert.strictEqual(fake.acceptedCount(), 1)
      })
    )
  )

  it.effect("tells what a model can do", () =>
    withServer({ models }, (server, fake) =>
      Effect.gen(function* () {
        assert.containsSubset(yield* server.capabilities("qwen3:8b"), {
          abilities: { completion: true, tools: true, thinking: true },
          capacity: { supportedWindow: 40_960 }
        })
        assert.containsSubset(yield* server.capabilities("tiny"), {
          abilities: { completion: true, tools: false, thinking: false },
          capacity: { supportedWindow: 2048 }
        })
        assert.deepStrictEqual(
          fake.requests.map(({ body }) => body),
          [{ model: "qwen3:8b" }, { model: "tiny" }]
        )
      })
    )
  )

  it.effect.each([
    ["num_ctx                        16384\ntemperature                    0.6", { window: 16_384, temperature: 0.6 }],
    ['stop "num_ctx 1"\ntemperature 0', { temperature: 0 }],
    ["NUM_CTX 5\nnum_ctx_extra 5\nnum_ctx many\ntemperature", {}],
    ["num_ctx 0\nnum_ctx 1.5", {}],
    ["", {}]
  ] as const)("reads the parameters of a Modelfile: %j", ([parameters, expected]) =>
    withServer({ models: [{ name: "own", parameters }] }, (server) =>
      Effect.gen(function* () {
        const { capacity, temperature } = yield* server.capabilities("own")
        const window = capacity.modelfileWindow
        assert.deepStrictEqual({ temperature, window }, { temperature: undefined, window: undefined, ...expected })
      })
    )
  )

  it.effect("takes a server that tells no capabilities to offer completion", () =>
    withServer(
      { paths: { "/api/show": { status: 200, body: { model_info: { "general.architecture": "x" } } } } },
      (server) =>
        Effect.gen(function* () {
          assert.containsSubset(yield* server.capabilities("old"), {
            abilities: { completion: true, tools: false, thinking: false }
          })
        })
    )
  )

  it.effect("tells what is in memory", () =>
    withServer({ models }, (server, fake) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* server.loaded, [])
        yield* Effect.promise(() =>
          fetch(`${fake.url}/api/chat`, {
            method: "POST",
            body: JSON.stringify({ model: "tiny", messages: [], options: { num_ctx: 1024 } })
          }).then((response) => response.text())
        )
        assert.deepStrictEqual(yield* server.loaded, [
          { name: "tiny:latest", context_length: 1024, size: 20, size_vram: 20 }
        ])
      })
    )
  )

  it.effect("sends the key", () =>
    withServer(
      {},
      (server, fake) =>
        Effect.gen(function* () {
          yield* server.version
          assert.strictEqual(fake.requests[0]?.headers.authorization, "Bearer secret")
        }),
      { apiKey: Redacted.make("secret") }
    )
  )

  it.effect("names a model that is not there", () =>
    withServer({ models }, (server) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(
          yield* Effect.flip(server.capabilities("gone")),
          failure({
            _tag: "ModelMissing",
            model: "gone",
            detail: "HTTP 404: model 'gone' not found",
            remedy: remedies("gone").missing,
            command: "ollama pull gone"
          })
        )
      })
    )
  )

  it.effect("says that nothing answers", () =>
    Effect.gen(function* () {
      const server = yield* connectOllama({ host: "http://127.0.0.1:1" })
      assert.deepStrictEqual(
        yield* Effect.flip(server.version),
        failure({ _tag: "Unreachable", host: "http://127.0.0.1:1", detail: "ECONNREFUSED", remedy: start })
      )
    })
  )

  it.effect("says that an address is none", () =>
    Effect.gen(function* () {
      const server = yield* connectOllama({ host: "http://no host" })
      const detail = '"http://no host" is not an address'
      assert.deepStrictEqual(
        yield* Effect.flip(server.version),
        failure({ _tag: "Unreachable", host: "http://no host", detail, remedy: start })
      )
    })
  )

  it.effect.each([
    ["a page", { status: 200, body: "<html>" }, odd("<html>")],
    ["another object", { status: 200, body: { version: 1 } }, odd('{"version":1}')],
    [
      "nothing",
      { status: 200, body: "" },
      { _tag: "DiedMidStream", detail: "the answer ended too early", partial: "" }
    ],
    ["an overload", { status: 503, body: { error: "busy." } }, { _tag: "Busy", detail: "HTTP 503: busy" }],
    ["a refusal", { status: 401, body: "no key" }, { _tag: "Refused", detail: "HTTP 401: no key", remedy: check }],
    [
      "another server",
      { status: 404, body: "not found" },
      {
        _tag: "Refused",
        detail: "HTTP 404: not found",
        remedy: `No model server is at URL: correct the address. ${check}`
      }
    ]
  ] satisfies ReadonlyArray<readonly [string, { status: number; body: unknown }, ModelErrorReason]>)(
    "says what is wrong with %s",
    ([, document, reason]) =>
      withServer({ paths: { "/api/version": document } }, (server) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(server.version)
          assert.deepStrictEqual(failure(withoutUrl(error.reason)), failure(reason))
        })
      )
  )

  it.effect("does not wait longer than ten seconds", () =>
    withServer({ paths: { "/api/version": { status: 200, body: "never", hold: true } } }, (server, fake) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(Effect.flip(server.version))
        yield* fake.until(({ requests }) => requests.length === 1)
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual(
          yield* Fiber.join(fiber),
          failure({ _tag: "Unreachable", host: fake.url, detail: "no answer within 10s", remedy: start })
        )
        yield* fake.until(({ connections }) => connections() === 0)
      })
    )
  )
})
