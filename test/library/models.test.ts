/**
 * The models of a server for scripts: what is there, getting one, and taking one out of memory.
 */
import { afterAll, assert, beforeAll, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ModelError, models, type PullProgress, pullModel, unloadModel } from "../../src/index.ts"
import { makeSandbox } from "../support/binary.ts"
import { FakeOllama, type FakeOllamaOptions } from "../support/FakeOllama.ts"
import { begunAndFailed, breaking, registry, whole } from "../support/OllamaRegistry.ts"
import { liveTest } from "../support/liveTest.ts"

const sandbox = makeSandbox()

beforeAll(() => void (process.env["XDG_CONFIG_HOME"] = `${sandbox.root}/config`))
afterAll(sandbox.remove)

/** Calls the library with this server as that of the configuration. */
const at = <A>(host: string, use: () => Promise<A>) => {
  sandbox.write("config/task-conductor/config.json", JSON.stringify({ host }))
  return Effect.promise(() =>
    use().then(
      (value) => ({ value }),
      (error: unknown) => ({ error })
    )
  )
}

const on = <A>(options: FakeOllamaOptions, use: () => Promise<A>) =>
  Effect.flatMap(
    FakeOllama.make(() => "", options),
    ({ url }) => at(url, use)
  )

describe("pullModel", () => {
  liveTest("tells what has come, all parts together, and goes on when the connection breaks", function* () {
    const { asked, url } = yield* registry([breaking, whole])
    const told: Array<unknown> = []
    const onProgress = ({ completed, status, total }: PullProgress) => void told.push([status, completed, total])
    assert.deepStrictEqual(yield* at(url, () => pullModel("qwen3:8b", { onProgress })), { value: undefined })
    assert.deepStrictEqual(told[0], ["pulling manifest", 0, 0])
    assert.deepStrictEqual(told.at(-1), ["success", 1500, 1500])
    assert.strictEqual(asked.length, 2)
  })

  liveTest("fails with the cause that the server gives, and at once when the signal aborts", function* () {
    const { url } = yield* registry([begunAndFailed])
    const failed = yield* at(url, () => pullModel("qwen3:8b"))
    if (!("error" in failed) || !(failed.error instanceof ModelError)) throw new Error(JSON.stringify(failed))
    assert.include(failed.error.message, "max retries exceeded")
    const holding = yield* registry([(response) => void response.write('{"status":"pulling manifest"}\n')])
    const stop = new AbortController()
    const stopped = yield* at(holding.url, () =>
      pullModel("qwen3:8b", { signal: stop.signal, onProgress: () => stop.abort() })
    )
    assert.isTrue("error" in stopped)
  })
})

const ps = (names: ReadonlyArray<string>) => ({ status: 200, body: { models: names.map((name) => ({ name })) } })

describe("models and unloadModel", () => {
  const listed = [
    { name: "qwen3:8b", size: 5e9 },
    { name: "embed:latest", capabilities: ["embedding"] }
  ]

  liveTest("list what the server has with what it can do, and say whether a model was in memory", function* () {
    const found = yield* on({ models: listed }, models)
    if ("error" in found) throw found.error
    assert.deepStrictEqual(
      found.value.map(({ abilities, name }) => [name, abilities.completion]),
      [
        ["qwen3:8b", true],
        ["embed:latest", false]
      ]
    )
    const unloaded = { "/api/generate": { status: 200, body: { done: true, done_reason: "unload" } } }
    for (const [inMemory, was] of [
      [["qwen3:8b"], true],
      [[], false]
    ] as const) {
      const paths = { ...unloaded, "/api/ps": ps(inMemory) }
      assert.deepStrictEqual(yield* on({ models: listed, paths }, () => unloadModel("qwen3:8b")), { value: was })
    }
  })

  liveTest("fail with what is wrong: no server, no such model, a server that unloads none", function* () {
    const gone = yield* at("http://127.0.0.1:1", models)
    assert.include(String("error" in gone && gone.error), "No model server answers")
    const missing = { "/api/generate": { status: 404, body: { error: "model 'nope' not found" } } }
    const none = yield* on({ models: listed, paths: missing }, () => unloadModel("nope"))
    assert.include(String("error" in none && none.error), 'The model "nope" is not on the server')
    const other = yield* at("http://127.0.0.1:1", () => unloadModel("openai:x"))
    assert.include(String("error" in other && other.error), "not a model of an Ollama server")
  })
})
