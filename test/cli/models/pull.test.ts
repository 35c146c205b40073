/** Getting and unloading models on a server that says what a real one said. */
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { existsSync } from "node:fs"
import { fileSandbox } from "../../support/fileSandbox.ts"
import { begunAndFailed, failing, registry, whole } from "../../support/OllamaRegistry.ts"
import { onServer } from "../../support/onServer.ts"
import { liveTest } from "../../support/liveTest.ts"

const sandbox = fileSandbox()

const pulling = (answers: Parameters<typeof registry>[0], words: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { asked, url } = yield* registry(answers)
    const ended = yield* Effect.promise(() => sandbox.run(["models", "pull", ...words], { env: { OLLAMA_HOST: url } }))
    return { ...ended, asked }
  }).pipe(Effect.scoped)

describe("models pull", () => {
  liveTest("says how far it is, and what to do with the model", function* () {
    const { asked, code, stderr, stdout } = yield* pulling([whole], ["qwen3:8b"])
    assert.deepStrictEqual([code, stdout], [0, ""])
    assert.deepStrictEqual(asked, [{ path: "/api/pull", model: "qwen3:8b", stream: true }])
    assert.match(stderr, /^qwen3:8b: pulling manifest\nqwen3:8b: 30 %, 0 kB of 1 kB\n/)
    assert.match(stderr, /\nqwen3:8b: success\nqwen3:8b is installed\. Use it with --model qwen3:8b\.\n$/)
  })

  liveTest("prints JSON Lines for a script", function* () {
    const { code, stderr, stdout } = yield* pulling([whole], ["qwen3:8b", "--json"])
    const lines = stdout.trim().split("\n")
    assert.deepStrictEqual([code, stderr], [0, ""])
    const [first, last] = [lines[0], lines.at(-1)].map((line = ""): unknown => JSON.parse(line))
    assert.deepStrictEqual(first, { model: "qwen3:8b", status: "pulling manifest", total: 0, completed: 0 })
    assert.deepStrictEqual(last, { model: "qwen3:8b", status: "success", total: 1500, completed: 1500 })
  })

  liveTest("says what the server says, and for a name that nobody has where to look", function* () {
    const unknown = yield* pulling([failing("pull model manifest: file does not exist")], ["qwen9"])
    assert.deepStrictEqual(
      [unknown.code, unknown.stderr.split("\n").at(-2)],
      [5, 'There is no model "qwen9" in the Ollama library. Look for one at https://ollama.com/library.']
    )
    const stopped = yield* pulling([begunAndFailed], ["qwen3"])
    assert.strictEqual(stopped.code, 5)
    assert.include(
      stopped.stderr,
      '"qwen3" could not be pulled: max retries exceeded: unexpected EOF. The downloaded part is kept; the same command'
    )
  })

  liveTest("is for an Ollama server, which has to be there", function* () {
    for (const name of ["openai:x", "embedded"]) {
      const { code, stderr } = yield* Effect.promise(() => sandbox.run(["models", "pull", name]))
      assert.strictEqual(code, 2)
      assert.include(stderr, `"${name}" is not a model of an Ollama server`)
    }
    const env = { OLLAMA_HOST: "127.0.0.1:1" }
    const { code, stderr } = yield* Effect.promise(() => sandbox.run(["models", "pull", "qwen3:8b"], { env }))
    assert.strictEqual(code, 5)
    assert.include(stderr, 'Start it with "ollama serve"')
  })
})

const unloaded = { "/api/generate": { status: 200, body: { done: true, done_reason: "unload" } } }

describe("models unload", () => {
  liveTest("takes a model out of memory, and says when it was not there", function* () {
    const unload = ["models", "unload", "qwen3:8b"]
    const { code, requests, stderr } = yield* onServer(sandbox, unload, { paths: unloaded })
    assert.deepStrictEqual([code, stderr], [0, "qwen3:8b was not loaded.\n"])
    const asked = requests.find(({ path }) => path === "/api/generate")
    assert.containsSubset(asked?.body, { model: "qwen3:8b", keep_alive: 0 })
    const loaded = { "/api/ps": { status: 200, body: { models: [{ name: "qwen3:8b" }] } } }
    const words = ["models", "unload", "Library/Qwen3:8b", "--json"]
    const json = yield* onServer(sandbox, words, { paths: { ...unloaded, ...loaded } })
    assert.deepStrictEqual(JSON.parse(json.stdout), [{ name: "Library/Qwen3:8b", was_loaded: true }])
  })

  liveTest("ends with 5 for one that is not on the server, and with 2 without a name", function* () {
    const missing = { "/api/generate": { status: 404, body: { error: "model 'nope' not found" } } }
    const { code, stderr } = yield* onServer(sandbox, ["models", "unload", "nope"], { paths: missing })
    assert.strictEqual(code, 5)
    assert.include(stderr, 'The model "nope" is not on the server')
    assert.strictEqual((yield* onServer(sandbox, ["models", "unload"])).code, 2)
  })
})

describe("the models of a run", () => {
  const models = [
    { name: "qwen3:8b", size: 5e9 },
    { name: "huge:405b", size: 9e14 },
    { name: "embed:latest", capabilities: ["embedding"] }
  ]

  liveTest("are refused before a run is saved when they cannot write text", function* () {
    for (const words of [
      ["run", "--model", "embed", "hi"],
      ["plan", "--model", "qwen3:8b", "--stage-model", "plan=embed", "hi"]
    ]) {
      const { chats, code, stderr } = yield* onServer(sandbox, words, { models })
      assert.deepStrictEqual([code, chats.length], [2, 0])
      assert.include(stderr, '"embed" cannot write text')
    }
    assert.isFalse(existsSync(`${sandbox.root}/state/task-conductor/runs`))
  })

  liveTest("may be written as Ollama reads them", function* () {
    const { chats, stderr } = yield* onServer(sandbox, ["plan", "--model", "Library/QWEN3:8b", "hi"], { models })
    assert.strictEqual(chats[0]?.model, "qwen3:8b")
    assert.include(stderr, "using qwen3:8b, as the server writes Library/QWEN3:8b.")
  })

  liveTest("of stages are set by a flag, kept as long as is said, and said not to fit together", function* () {
    const words = ["plan", "--model", "qwen3:8b", "--stage-model", "plan=huge:405b", "--keep-alive", "2h", "hi"]
    const { chats, stderr } = yield* onServer(sandbox, words, { models })
    assert.containsSubset(chats[0], { model: "huge:405b", keep_alive: "2h" })
    assert.match(stderr, /huge:405b \(900000\.0 GB\) need about .* together/)
  })

  liveTest("of stages and times are refused when they are written wrongly", function* () {
    for (const given of ["plan", "planning=x", "plan=", "plan=embedded"]) {
      const { code, stderr } = yield* onServer(sandbox, ["plan", "--stage-model", given, "hi"], { models })
      assert.strictEqual(code, 2)
      assert.include(stderr, `--stage-model ${given}: write STAGE=NAME with a stage of plan, task,`)
    }
    const { code, stderr } = yield* onServer(sandbox, ["plan", "--keep-alive", "soon", "hi"], { models })
    assert.strictEqual(code, 2)
    assert.include(stderr, '"30m"')
  })
})
