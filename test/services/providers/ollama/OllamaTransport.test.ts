import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as LanguageModel from "effect/ai/LanguageModel"
import { layerOllama } from "../../../../src/services/providers/ollama/OllamaModel.ts"
import { FakeOllama } from "../../../support/FakeOllama.ts"
import { match, type Script } from "../../../support/FakeOllamaScript.ts"
import { waitFor } from "../../../support/waitFor.ts"
import { liveTest } from "../../../support/liveTest.ts"
import { nodeTest } from "../../../support/nodeTest.ts"

const options = { model: "qwen3:8b", contextWindow: 8192, maxAnswerTokens: 2048 }

/** A test of a server that follows this script, with the model that asks it. */
const scriptTest = (
  name: string,
  script: Script,
  body: (
    server: FakeOllama["Service"]
  ) => Generator<Effect.Effect<unknown, unknown, LanguageModel.LanguageModel>, unknown, never>
) =>
  nodeTest(name, function* () {
    const server = yield* FakeOllama.make(script)
    yield* Effect.gen(() => body(server)).pipe(Effect.provide(layerOllama({ ...options, host: server.url })))
  })

const text = (prompt: string) => Effect.map(LanguageModel.generateText({ prompt }), (answer) => answer.text)

describe("interruption", () => {
  const slow = match(
    ["before", { hold: "headers", text: "late" }],
    ["during", { text: "one two three", holdAfter: { lines: 1, latch: "middle" } }],
    ["sibling", { text: "still here", holdAfter: { lines: 1, latch: "sibling" } }]
  )

  scriptTest("closes the socket before anything has come, and leaves the sibling alone", slow, function* (server) {
    const sibling = yield* Effect.forkChild(text("sibling"))
    yield* server.until(({ chats }) => chats.length === 1)
    const fiber = yield* Effect.forkChild(text("before"))
    yield* server.until(({ chats }) => chats.length === 2)
    assert.deepStrictEqual([server.connections(), server.abortedCount()], [2, 0])
    yield* Fiber.interrupt(fiber)
    yield* server.until(({ connections }) => connections() === 1)
    assert.strictEqual(server.abortedCount(), 1)
    yield* server.release("sibling")
    assert.strictEqual(yield* Fiber.join(sibling), "still here")
    assert.strictEqual(server.abortedCount(), 1)
  })

  scriptTest("closes the socket in the middle of an answer, and leaves the sibling alone", slow, function* (server) {
    const sibling = yield* Effect.forkChild(text("sibling"))
    const deltas: Array<string> = []
    const fiber = yield* LanguageModel.streamText({ prompt: "during" }).pipe(
      Stream.filter((part) => part.type === "text-delta"),
      Stream.runForEach((part) =>
        Effect.sync(() => {
          deltas.push(part.delta)
        })
      ),
      Effect.forkChild
    )
    yield* server.until(({ chats }) => chats.length === 2)
    yield* waitFor("a token", () => deltas.length > 0)
    yield* Fiber.interrupt(fiber)
    yield* server.until(({ connections }) => connections() === 1)
    assert.strictEqual(server.abortedCount(), 1)
    yield* server.release("sibling")
    assert.strictEqual(yield* Fiber.join(sibling), "still here")
    assert.deepStrictEqual(deltas, ["one"])
  })
})

describe("connections", () => {
  scriptTest(
    "uses one connection for requests one after another, also after a refusal",
    match(["bad", { status: 400, error: "no" }], ["good", "yes"]),
    function* (server) {
      yield* text("good")
      yield* Effect.flip(text("bad"))
      yield* text("good")
      yield* text("good")
      assert.deepStrictEqual([server.chats.length, server.acceptedCount(), server.abortedCount()], [4, 1, 0])
    }
  )

  nodeTest("closes its connections with the layer", function* () {
    const server = yield* FakeOllama.make(() => "yes")
    yield* Effect.scoped(text("hello").pipe(Effect.provide(layerOllama({ ...options, host: server.url }))))
    yield* server.until(({ connections }) => connections() === 0)
    assert.deepStrictEqual([server.acceptedCount(), server.abortedCount()], [1, 0])
  })
})

const run = (file: string, url: string) =>
  Effect.callback<{ readonly code: unknown; readonly stdout: string; readonly stderr: string }>((resume) => {
    const child = execFile(process.execPath, [file, url], (error, stdout, stderr) =>
      resume(Effect.succeed({ code: error === null ? 0 : error.code, stdout, stderr }))
    )
    return Effect.sync(() => child.kill())
  })

describe("failures", () => {
  liveTest("print nothing, whatever the server does", function* () {
    const server = yield* FakeOllama.make(
      match(
        ["text page", { status: 500, body: "oops" }],
        ["broken error", { status: 400, body: "{", headers: { "content-type": "application/json" } }],
        ["bad line", { text: "one", extraLines: ["nonsense"] }],
        ["blank lines", { text: "one", blankLines: true, lineEnd: "\r\n" }],
        ["error line", { text: "one", errorLine: "runner died" }],
        ["no end", { text: "one", done: false }],
        ["cut", { text: "one two three", cutAfter: 150 }],
        ["broken off", { text: "one", cutAfter: 1 }]
      ),
      { paths: { "/api/tags": { status: 200, body: "<html>" }, "/api/ps": { status: 500, body: "oops" } } }
    )
    const file = fileURLToPath(new URL("../../../support/failingRequests.ts", import.meta.url))
    assert.deepStrictEqual(yield* run(file, server.url), { code: 0, stdout: "", stderr: "" })
    assert.deepStrictEqual(
      server.requests.map(({ path }) => path),
      [...Array.from({ length: 8 }, () => "/api/chat"), "/api/tags", "/api/ps"]
    )
  })
})
