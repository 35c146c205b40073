/** A server whose window is smaller than the one that is set, and which says so in one way or another: prompts are cut to it. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ModelCaller } from "../../../src/services/models/ModelCaller.ts"
import { layerOllama } from "../../../src/services/providers/ollama/OllamaModel.ts"
import { layerOpenAi } from "../../../src/plugins/openai/OpenAiModel.ts"
import { callerLayer } from "../../support/callerLayer.ts"
import { EventLog } from "../../support/EventLog.ts"
import { FakeOllama } from "../../support/FakeOllama.ts"
import { FakeOpenAi } from "../../support/FakeOpenAi.ts"
import type { OpenAiReply } from "../../support/FakeOpenAiReply.ts"
import { liveTest } from "../../support/liveTest.ts"

const contextWindow = 8192
const user = "The text of a task, in words. ".repeat(600)

/** Asks the same prompt twice; gives how often it was sent, the errors, and the warnings. */
const askTwice = (server: { readonly url: string; readonly chats: ReadonlyArray<unknown> }, isOpenAi: boolean) =>
  Effect.gen(function* () {
    const model = isOpenAi ? "openai:tiny" : "qwen3:8b"
    const options = { host: server.url, model, contextWindow, maxAnswerTokens: 256 }
    const provider = isOpenAi ? layerOpenAi(options) : layerOllama(options)
    const layer = callerLayer(provider, { model, contextWindow, parallel: 1 })
    return yield* Effect.gen(function* () {
      const caller = yield* ModelCaller
      const errors: Array<string> = []
      for (const task of ["a", "b"]) {
        const id = { stage: "task" as const, round: 1, task, attempt: 1 }
        const error = yield* Effect.flip(caller.ask({ id, step: 0, prompt: { system: "s", user } }))
        errors.push(`${error._tag === "ModelError" ? error.reason._tag : ""} ${error.isTooLong}`)
      }
      const warnings = (yield* EventLog).events().flatMap((event) => (event.type === "message" ? [event.text] : []))
      return { sent: server.chats.length, errors, warnings }
    }).pipe(Effect.provide(layer))
  })

const lmStudio =
  "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 5000>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input."

const replies: ReadonlyArray<readonly [name: string, reply: OpenAiReply]> = [
  [
    "an event of the stream",
    { chunks: [`event: error\ndata: ${JSON.stringify({ error: { message: lmStudio } })}\n\n`] }
  ],
  ["an event of the stream with plain text", { chunks: [`event: error\ndata: ${lmStudio}\n\n`] }],
  ["an object with the status 200", { chunks: [JSON.stringify({ error: lmStudio })] }],
  [
    "an object of its own form with the status 200",
    { chunks: [JSON.stringify({ object: "error", message: lmStudio }, null, 1)] }
  ],
  ["an event after an empty piece", { errorEvent: { message: lmStudio } }],
  ["the status 400", { status: 400, error: lmStudio }],
  ["the status 500", { status: 500, error: lmStudio }],
  ["the status 413 and FastAPI's form", { status: 413, body: { detail: lmStudio } }]
]

liveTest.each(replies)("is heeded when it is said by %s", function* ([, reply]) {
  const server = yield* FakeOpenAi.make(() => reply)
  const { errors, sent, warnings } = yield* askTwice(server, true)
  assert.deepStrictEqual(errors, ["ContextOverflow true", "ContextOverflow true"])
  assert.strictEqual(sent, 1)
  assert.strictEqual(warnings.length, 1)
  assert.include(warnings[0], "Set contextWindow to 4096")
})

liveTest("is heeded when Ollama says it in the answer, without sizes", function* () {
  const server = yield* FakeOllama.make(() => ({ errorLine: "the input length exceeds the context length" }))
  const { errors, sent } = yield* askTwice(server, false)
  assert.deepStrictEqual([errors, sent], [["ContextOverflow true", "ContextOverflow true"], 1])
})
