import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ModelError, models, type PullProgress, pullModel, unloadModel } from "../../src/index.ts"
import { librarySandbox } from "../support/fileSandbox.ts"
import { FakeOllama, type FakeOllamaOptions } from "../support/FakeOllama.ts"
import { begunAndFailed, breaking, registry, whole } from "../support/OllamaRegistry.ts"
import { liveTest } from "../support/liveTest.ts"

const sandbox = librarySandbox()

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

const unload = { "/api/generate": { status: 200, body: { done: true, done_reason: "unload" } } }

liveTest(
  "models and unloadModel list what the server has with what it can do, and take a model out of memory",
  function* () {
    const listed = yield* on({ models: [{ name: "embed:latest", capabilities: ["embedding"] }] }, models)
    if ("error" in listed) throw listed.error
    assert.deepStrictEqual(
      listed.value.map(({ abilities, name }) => [name, abilities.completion]),
      [["embed:latest", false]]
    )
    assert.deepStrictEqual(yield* on({ paths: unload }, () => unloadModel("qwen3:8b")), { value: false })
    const gone = yield* at("http://127.0.0.1:1", models)
    assert.include(String("error" in gone && gone.error), "No model server answers")
  }
)
