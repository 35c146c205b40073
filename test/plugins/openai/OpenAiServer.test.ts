import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { baseUrlProblem, resolveBaseUrl } from "../../../src/plugins/openai/OpenAiAddress.ts"
import { connectOpenAi, type OpenAiServer } from "../../../src/plugins/openai/OpenAiServer.ts"
import { CurrentServer, layerCurrentServer } from "../../../src/services/providers/Provider.ts"
import { FakeOpenAi, type FakeOpenAiOptions } from "../../support/FakeOpenAi.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { serve } from "../../support/WebServer.ts"
import { liveTest } from "../../support/liveTest.ts"

const withServer = <A, E>(options: FakeOpenAiOptions, use: (server: OpenAiServer) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const { url } = yield* FakeOpenAi.make(() => "", options)
    return yield* use(yield* connectOpenAi({ host: url }))
  })

const offered = ({ models }: OpenAiServer) => models

const factsOf = (model: string) => (server: OpenAiServer) => server.facts(model)

const page = (body: unknown, status = 200) => ({ status, body })

describe("the address", () => {
  it.each([
    [undefined, "http://127.0.0.1:8080/v1"],
    [" ", "http://127.0.0.1:8080/v1"],
    ["localhost:1234", "http://localhost:1234/v1"],
    ["http://localhost:1234/", "http://localhost:1234/v1"],
    ["http://localhost:1234/v1/", "http://localhost:1234/v1"],
    ["https://models.example/api/v2", "https://models.example/api/v2"],
    ["https://[::1]:8000", "https://[::1]:8000/v1"]
  ])("%s is %s", (given, url) => {
    assert.strictEqual(resolveBaseUrl(given), url)
    assert.isUndefined(baseUrlProblem(url))
  })

  it.each([
    ["ftp://localhost/v1", "ftp://localhost/v1 is not"],
    ["http://me:secret@localhost/v1", "http://...@localhost/v1 is not"],
    ["http://localhost/v1?key=secret", "http://localhost/v1?... is not"],
    ["http://local host", "http://local host/v1 is not"]
  ])("%s is refused without what is secret in it", (given, said) => {
    const problem = baseUrlProblem(resolveBaseUrl(given)) ?? ""
    assert.isTrue(problem.startsWith(said), problem)
    assert.notInclude(problem, "secret")
    assert.include(problem, "OPENAI_API_KEY")
  })
})

nodeTest.each<[string, ReturnType<typeof page>, number | undefined]>([
  ["its properties", page({ total_slots: 4, model_path: "/m.gguf" }), 4],
  ["no such page", page({ error: "no" }, 404), Infinity],
  ["other words", page({ slots: 4 }), Infinity]
])("the slots of a server are read from %s", function* ([, properties, expected]) {
  const { slots } = (yield* withServer({ paths: { "/props": properties } }, factsOf("openai:any"))).capacity
  assert.strictEqual(slots, expected)
})

nodeTest.each<[unknown, boolean | undefined]>([
  [{ vision: true, audio: false }, true],
  [{ vision: false }, false],
  [{}, undefined],
  [undefined, undefined]
])("the slots of a server are beside what its model sees: %j", function* ([modalities, expected]) {
  const properties = page({ total_slots: 1, ...(modalities !== undefined && { modalities }) })
  const { abilities } = yield* withServer({ paths: { "/props": properties } }, factsOf("openai:any"))
  assert.strictEqual(abilities.vision, expected)
})

nodeTest(
  "the slots of a server and its window are those of the model that a router loads for the question",
  function* () {
    let reads = 0
    const args = ["llama-server", "--alias", "a", "--ctx-size", "8192"]
    const options: FakeOpenAiOptions = {
      get models() {
        reads += 1
        const said = { id: "a", object: "model", status: { value: reads === 1 ? "unloaded" : "loaded", args } }
        return [reads === 1 ? said : { ...said, meta: { n_ctx: 8192, n_ctx_train: 32_768 } }, { id: "b" }]
      },
      paths: {
        "/props": page({ role: "router", max_instances: 4, default_generation_settings: { params: null, n_ctx: 0 } }),
        "/props?model=a": page({ total_slots: 4, default_generation_settings: { params: {}, n_ctx: 8192 } }),
        "/props?model=c": page({ error: { code: 400, message: "model 'c' not found" } }, 400)
      }
    }
    const { capacity, takesGrammar } = yield* withServer(options, factsOf("openai:a"))
    const { loadedWindow, pool, slots } = capacity
    assert.deepStrictEqual([loadedWindow, pool, slots, takesGrammar], [8192, 8192, 4, true])
    assert.isTrue((yield* withServer(options, factsOf("openai:c"))).isMissing)
  }
)

describe("the models of a server", () => {
  nodeTest("are listed with the window, under each of its names", function* () {
    const models = [
      { id: "a", meta: { n_ctx: 4096, n_ctx_train: 131_072 } },
      { id: "b", max_model_len: 32_768 },
      { id: "c", context_length: 8192, meta: null },
      { id: "d", context_window: 16_384 },
      { id: "e", meta: {}, context_length: "many" }
    ]
    assert.deepStrictEqual(yield* withServer({ models }, offered), [
      { id: "a", contextWindow: 4096 },
      { id: "b", contextWindow: 32_768 },
      { id: "c", contextWindow: 8192 },
      { id: "d", contextWindow: 16_384 },
      { id: "e", contextWindow: undefined }
    ])
  })

  nodeTest("cannot be read without the key or from another kind of server, and are with the key", function* () {
    const { url } = yield* FakeOpenAi.make(() => "", { key: "hush" })
    const error = yield* Effect.flip(Effect.flatMap(connectOpenAi({ host: url }), offered))
    assert.match(error.message, /HTTP 401[^]*OPENAI_API_KEY/)
    const server = connectOpenAi({ host: url, apiKey: Redacted.make("hush") })
    assert.strictEqual((yield* Effect.flatMap(server, offered)).length, 1)
    const none = yield* Effect.flip(withServer({ models: "none" as never }, offered))
    assert.include(none.message, "not an answer of the OpenAI API")
  })
})

describe("the facts of a model", () => {
  const none = undefined
  const known = {
    isKnown: true,
    abilities: {},
    temperature: 0.8,
    takesGrammar: false,
    family: none,
    capacity: { slots: Infinity, supportedWindow: none, loadedWindow: none }
  }

  nodeTest("are its window, or that of the only model under any name", function* () {
    const one = [{ id: "tiny.gguf", meta: { n_ctx: 4096 } }]
    const two = [...one, { id: "b", max_model_len: 32_768 }]
    const window = (family: string, size: number) => ({
      ...known,
      family,
      capacity: { slots: Infinity, supportedWindow: size, loadedWindow: size }
    })
    assert.deepStrictEqual(yield* withServer({ models: two }, factsOf("openai:b")), window("b", 32_768))
    assert.deepStrictEqual(yield* withServer({ models: one }, factsOf("openai:any")), window("tiny.gguf", 4096))
    const missing = { ...known, isMissing: true }
    assert.deepStrictEqual(yield* withServer({ models: two }, factsOf("openai:any")), missing)
    const proxy = [...two, { id: "ollama/*" }]
    assert.deepStrictEqual(yield* withServer({ models: proxy }, factsOf("openai:any")), known)
  })

  nodeTest("are a grammar and how it samples, on llama.cpp's server", function* () {
    const models = [{ id: "gpt-oss-20b.gguf", meta: { n_ctx: 4096 } }]
    const stock = { temperature: 0.800000011920929, top_k: 40, top_p: 0.949999988079071, min_p: 0.05000000074505806 }
    const facts = (params: object, slots = 1) =>
      withServer(
        {
          models,
          paths: { "/props": { status: 200, body: { total_slots: slots, default_generation_settings: { params } } } }
        },
        factsOf("openai:any")
      )
    const own = {
      ...known,
      takesGrammar: true,
      family: "gpt-oss-20b.gguf",
      capacity: { slots: 1, supportedWindow: 4096, loadedWindow: 4096 }
    }
    assert.deepStrictEqual(yield* facts(stock), { ...own, temperature: none })
    assert.deepStrictEqual(yield* facts({ ...stock, temperature: 0.3 }), { ...own, temperature: 0.3 })
    /* What it does when nobody says how many slots: all of them share one window. */
    assert.deepStrictEqual(yield* facts({ ...stock, temperature: 0.3 }, 4), {
      ...own,
      temperature: 0.3,
      capacity: { ...own.capacity, slots: 4, pool: 4096 }
    })
    assert.deepStrictEqual(yield* facts({ ...stock, top_k: 20 }), { ...own, temperature: stock.temperature })
  })

  liveTest("are waited for while the server loads its model", function* () {
    let asked = 0
    const port = yield* serve((_, response) => {
      const isLoading = (asked += 1) < 3
      response.writeHead(isLoading ? 503 : 200, { "content-type": "application/json" })
      const error = { message: "Loading model", type: "unavailable_error", code: 503 }
      response.end(JSON.stringify(isLoading ? { error } : { data: [{ id: "x", meta: { n_ctx: 4096 } }] }))
    })
    const server = yield* connectOpenAi({ host: `http://127.0.0.1:${port}/v1` })
    assert.strictEqual((yield* server.facts("openai:x")).capacity.loadedWindow, 4096)
  })

  nodeTest("are asked once by all calls, and unknown while the server does not answer", function* () {
    const server = yield* FakeOpenAi.make(() => "")
    const askTwice = Effect.gen(function* () {
      const { facts: factsOf } = yield* CurrentServer
      const together = yield* Effect.all([factsOf("openai:x"), factsOf("openai:x")], { concurrency: 2 })
      return [...together, yield* factsOf("openai:x")]
    })
    const facts = (host: string) => Effect.provide(askTwice, layerCurrentServer(connectOpenAi({ host })))
    const asked = { ...known, family: "Qwen/Qwen3-8B" }
    assert.deepStrictEqual(yield* facts(server.url), [asked, asked, asked])
    assert.deepStrictEqual(
      server.requests.map(({ path }) => path),
      ["/v1/models", "/props"]
    )
    assert.deepStrictEqual((yield* facts("http://127.0.0.1:1/v1"))[1], {
      isKnown: false,
      abilities: {},
      capacity: {}
    })
  })
})

nodeTest("lists its models for a person to choose from", function* () {
  const models = [{ id: "qwen3-8b", max_model_len: 32_768 }, { id: "gemma-3-4b" }]
  const [listed, reason] = yield* withServer({ models }, ({ inventory, missing }) =>
    Effect.map(inventory ?? Effect.succeed([]), (all) => [all, missing?.("openai:qwen3-8")] as const)
  )
  assert.deepStrictEqual(
    listed.map(({ capacity, name }) => [name, capacity.loadedWindow]),
    [
      ["openai:qwen3-8b", 32_768],
      ["openai:gemma-3-4b", undefined]
    ]
  )
  assert.strictEqual(reason?.model, "openai:qwen3-8")
})
