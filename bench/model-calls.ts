/**
 * The CPU time of one model call, from the prompt to the whole text. Many calls run side by side against a server that
 * answers at once. The server is a separate process.
 *
 *   node bench/model-calls.ts [CALLS]
 */
import { fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as LanguageModel from "effect/ai/LanguageModel"
import { assumedScale } from "../src/domain/models/PromptSize.ts"
import { readAnswer } from "../src/services/models/AnswerStream.ts"
import { textRequest } from "../src/services/models/TextRequest.ts"
import { layerOllama } from "../src/services/providers/ollama/OllamaModel.ts"
import { UsageMeter } from "../src/services/runs/UsageMeter.ts"
import { slotModel, startSlotServer } from "./SlotServer.ts"

const answer = "## Result summary\n\nIt is done, and nothing else was found.\n".repeat(4)
const prompt = {
  system: "You turn one task into tool calls. ".repeat(80),
  user: "What the task is about. ".repeat(120)
}

const ask = Effect.gen(function* () {
  const model = yield* LanguageModel.LanguageModel
  yield* readAnswer(model.streamText({ prompt: textRequest(prompt).prompt }), {
    server: { host: "", model: slotModel, promptTokens: 1, window: 32_768 },
    settings: { sampling: {} },
    meter: yield* UsageMeter,
    thinking: { tokens: Infinity, scale: assumedScale },
    listen: () => {},
    onPart: () => {},
    arrived: Effect.void,
    entered: () => Effect.void
  })
})

const asked = (calls: number) =>
  Effect.forEach(Array.from({ length: calls }), () => ask, { concurrency: 64, discard: true })

const measure = Effect.fnUntraced(function* (calls: number) {
  yield* asked(200)
  const before = process.cpuUsage()
  yield* asked(calls)
  const { system, user } = process.cpuUsage(before)
  console.log(`${Math.round((system + user) / calls)} us of CPU time for a call`)
})

if (process.send === undefined) {
  const server = fork(fileURLToPath(import.meta.url))
  const host = await new Promise<string>((resolve) => server.once("message", (url) => resolve(String(url))))
  const model = layerOllama({ host, model: slotModel, contextWindow: 32_768, maxAnswerTokens: 2048 })
  const calls = Number(process.argv[2] ?? "2000")
  await Effect.runPromise(Effect.provide(measure(calls), Layer.merge(model, UsageMeter.layer)))
  server.disconnect()
} else {
  const server = await startSlotServer({ slots: Infinity, latency: 0, pieces: 8, answer: () => answer })
  process.once("disconnect", () => void server.close())
  process.send(server.url)
}
