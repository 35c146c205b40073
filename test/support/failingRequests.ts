/**
 * A program that sends one request for each way in which the server at the address in its first argument fails, and
 * ends with 0 when all went as they should. A test runs it to see that nothing is printed on the way.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as LanguageModel from "effect/ai/LanguageModel"
import { layerOllama } from "../../src/services/providers/ollama/OllamaModel.ts"
import { connectOllama } from "../../src/services/providers/ollama/OllamaServer.ts"

const host = process.argv[2] ?? ""
const options = { model: "qwen3:8b", contextWindow: 8192, maxAnswerTokens: 2048 }

const fails = (prompt: string, host: string) =>
  LanguageModel.generateText({ prompt }).pipe(
    Effect.result,
    Effect.map(Result.isFailure),
    Effect.provide(layerOllama({ ...options, host }))
  )

const outcomes = await Effect.runPromise(
  Effect.gen(function* () {
    const chats = yield* Effect.forEach(
      ["text page", "broken error", "bad line", "error line", "no end", "cut", "broken off"],
      (prompt) => fails(prompt, host)
    )
    const fine = yield* fails("blank lines", host)
    const unreachable = yield* Effect.forEach(["http://127.0.0.1:1", "http://no such host"], (other) =>
      fails("hello", other)
    )
    const server = yield* connectOllama({ host })
    const models = Result.isFailure(yield* Effect.result(server.models))
    const loaded = Result.isFailure(yield* Effect.result(server.loaded))
    return [...chats, !fine, ...unreachable, models, loaded]
  }).pipe(Effect.scoped)
)
process.exitCode = outcomes.every(Boolean) ? 0 : 1
