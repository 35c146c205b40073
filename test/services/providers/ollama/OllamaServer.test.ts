import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { ModelError, type ModelErrorReason } from "../../../../src/domain/models/ModelAnswer.ts"
import type { ServerConnection } from "../../../../src/services/providers/Provider.ts"
import { spoken } from "../../../../src/services/providers/ollama/OllamaHost.ts"
import { connectOllama } from "../../../../src/services/providers/ollama/OllamaServer.ts"
import { FakeOllama, type FakeOllamaOptions } from "../../../support/FakeOllama.ts"
import { withoutUrl } from "../../../support/withoutUrl.ts"
import { nodeTest } from "../../../support/nodeTest.ts"

const connected = Effect.fnUntraced(function* (options: FakeOllamaOptions, own: Partial<ServerConnection> = {}) {
  const fake = yield* FakeOllama.make(() => "hello", options)
  return { fake, server: yield* connectOllama({ host: fake.url, ...own }) }
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

nodeTest("tells version and installed models over one connection, with the key", function* () {
  const { fake, server } = yield* connected({ models }, { apiKey: Redacted.make("secret") })
  expect(yield* server.version).toBe("0.32.9")
  expect(yield* server.models).toStrictEqual([
    { name: "qwen3:8b", size: 5000 },
    { name: "tiny:latest", size: 20 }
  ])
  expect(fake.requests.map(({ headers, method, path }) => [method, path, headers.authorization])).toStrictEqual(
    ["/api/version", "/api/tags"].map((path) => ["GET", path, "Bearer secret"])
  )
  expect(fake.acceptedCount()).toBe(1)
})

nodeTest("tells what a model can do", function* () {
  const { fake, server } = yield* connected({ models })
  for (const [name, able, supportedWindow] of [
    ["qwen3:8b", true, 40_960],
    ["tiny", false, 2048]
  ] as const) {
    expect(yield* server.capabilities(name)).toMatchObject({
      abilities: { completion: true, tools: able, thinking: able },
      capacity: { supportedWindow }
    })
  }
  expect(fake.requests.map(({ body }) => body)).toStrictEqual([{ model: "qwen3:8b" }, { model: "tiny" }])
})

nodeTest.each([
  ["num_ctx                        16384\ntemperature                    0.6", { window: 16_384, temperature: 0.6 }],
  ['stop "num_ctx 1"\ntemperature 0', { temperature: 0 }],
  ["NUM_CTX 5\nnum_ctx_extra 5\nnum_ctx many\ntemperature", {}],
  ["num_ctx 0\nnum_ctx 1.5", {}],
  ["", {}]
] as const)("reads the parameters of a Modelfile: %j", function* ([parameters, expected]) {
  const { server } = yield* connected({ models: [{ name: "own", parameters }] })
  const { capacity, temperature } = yield* server.capabilities("own")
  const window = capacity.modelfileWindow
  expect({ temperature, window }).toStrictEqual({ temperature: undefined, window: undefined, ...expected })
})

nodeTest("takes a server that tells no capabilities to offer completion", function* () {
  const old = { status: 200, body: { model_info: { "general.architecture": "x" } } }
  const { server } = yield* connected({ paths: { "/api/show": old } })
  const abilities = { completion: true, tools: false, thinking: false }
  expect(yield* server.capabilities("old")).toMatchObject({ abilities })
})

nodeTest("tells what is in memory", function* () {
  const { fake, server } = yield* connected({ models })
  expect(yield* server.loaded).toStrictEqual([])
  const body = JSON.stringify({ model: "tiny", messages: [], options: { num_ctx: 1024 } })
  yield* Effect.promise(() => fetch(`${fake.url}/api/chat`, { method: "POST", body }).then((said) => said.text()))
  expect(yield* server.loaded).toStrictEqual([{ name: "tiny:latest", context_length: 1024, size: 20, size_vram: 20 }])
})

nodeTest("says that nothing answers, and that an address is none", function* () {
  for (const [host, detail] of [
    ["http://127.0.0.1:1", "ECONNREFUSED"],
    ["http://no host", '"http://no host" is not an address']
  ] as const) {
    const server = yield* connectOllama({ host })
    const error = yield* Effect.flip(server.version)
    expect(error).toStrictEqual(failure({ _tag: "Unreachable", host, detail, remedy: start }))
  }
})

const cutShort: ModelErrorReason = { _tag: "DiedMidStream", detail: "the answer ended too early", partial: "" }
const elsewhere = `No model server is at URL: correct the address. ${check}`
it.effect.each([
  ["a page", { status: 200, body: "<html>" }, odd("<html>")],
  ["another object", { status: 200, body: { version: 1 } }, odd('{"version":1}')],
  ["nothing", { status: 200, body: "" }, cutShort],
  [
    "an overload",
    { status: 503, body: { error: "busy." } },
    { _tag: "Busy", detail: "HTTP 503: busy", isOverloaded: true }
  ],
  ["a refusal", { status: 401, body: "no key" }, { _tag: "Refused", detail: "HTTP 401: no key", remedy: check }],
  ["another server", { status: 404, body: "no" }, { _tag: "Refused", detail: "HTTP 404: no", remedy: elsewhere }]
] satisfies ReadonlyArray<readonly [string, { status: number; body: unknown }, ModelErrorReason]>)(
  "says what is wrong with %s",
  ([, document, reason]) =>
    Effect.gen(function* () {
      const { server } = yield* connected({ paths: { "/api/version": document } })
      const error = yield* Effect.flip(server.version)
      expect(failure(withoutUrl(error.reason))).toStrictEqual(failure(reason))
    })
)

nodeTest("does not wait longer than ten seconds", function* () {
  const { fake, server } = yield* connected({ paths: { "/api/version": { status: 200, body: "never", hold: true } } })
  const fiber = yield* Effect.forkChild(Effect.flip(server.version))
  yield* fake.until(({ requests }) => requests.length === 1)
  yield* TestClock.adjust("10 seconds")
  const reason = { _tag: "Unreachable", host: fake.url, detail: "no answer within 10s", remedy: start } as const
  expect(yield* Fiber.join(fiber)).toStrictEqual(failure(reason))
  yield* fake.until(({ connections }) => connections() === 0)
})
