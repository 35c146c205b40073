/**
 * Checks of parallel calls, sent as in a run: how many fit together, and whether the server keeps its model loaded.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { RunEvent } from "../../src/domain/runs/RunEvent.ts"
import { Activities } from "../../src/services/journal/Activities.ts"
import { Journal } from "../../src/services/journal/Journal.ts"
import { ModelCaller } from "../../src/services/models/ModelCaller.ts"
import { ModelSlots } from "../../src/services/models/ModelSlots.ts"
import { TokenCalibration } from "../../src/services/models/TokenCalibration.ts"
import { connectOllama } from "../../src/services/providers/ollama/OllamaServer.ts"
import { layerOllama } from "../../src/services/providers/ollama/OllamaModel.ts"
import { layerOpenAi } from "../../src/plugins/openai/OpenAiModel.ts"
import { connectOpenAi } from "../../src/plugins/openai/OpenAiServer.ts"
import { layerCurrentServer } from "../../src/services/providers/Provider.ts"
import { RunEvents } from "../../src/services/runs/RunEvents.ts"
import { RunSettings } from "../../src/services/runs/RunSettings.ts"
import { UsageMeter } from "../../src/services/runs/UsageMeter.ts"
import { ask } from "./Asking.ts"
import { type Check, require, type Target } from "./Check.ts"
import { many, parallel, promptOf } from "./longPrompts.ts"

const layerOf = ({ api, host, model: name, window }: Target, events: Array<RunEvent>) => {
  const model = api === "openai" ? `openai:${name}` : name
  const options = { host, model, contextWindow: window, maxAnswerTokens: window / 16 }
  const [provider, connect] =
    api === "openai" ? [layerOpenAi(options), connectOpenAi({ host })] : [layerOllama(options), connectOllama({ host })]
  return ModelCaller.layer.pipe(
    Layer.provide([provider, layerCurrentServer(connect), ModelSlots.layer, Activities.layerUnsaved]),
    Layer.provide([Journal.layerNone, TokenCalibration.layer]),
    Layer.provideMerge(UsageMeter.layer),
    Layer.provide(RunSettings.layer({ model, host, contextWindow: window, parallel })),
    Layer.provide(RunEvents.layerListener(({ event }) => Effect.sync(() => void events.push(event))))
  )
}

export const parallelChecks: ReadonlyArray<Check> = [
  {
    name: `${many} calls, ${parallel} at a time, each with half the window`,
    check: (target) =>
      Effect.gen(function* () {
        const events: Array<RunEvent> = []
        const probe = promptOf(0, 400)
        const { promptTokens = 400 } = yield* ask(target, { prompt: probe, settings: { maxTokens: 1 } })
        const tokens = ((target.window / 2) * 400) / promptTokens
        const began = performance.now()
        const send = (number: number) =>
          Effect.flatMap(ModelCaller, (caller) =>
            Effect.result(
              caller.ask({
                id: { stage: "task", round: 1, task: `Task ${number}`, attempt: 1 },
                step: 0,
                prompt: { system: "Answer in a few words.", user: promptOf(number + 1, tokens), parts: [] }
              })
            )
          )
        const [results, usage] = yield* Effect.gen(function* () {
          const numbers = Array.from({ length: many }, (_, index) => index)
          const results = yield* Effect.forEach(numbers, send, { concurrency: "unbounded" })
          return [results, yield* (yield* UsageMeter).total] as const
        }).pipe(Effect.provide(layerOf(target, events)))
        /* A noise model rarely ends by itself, so an answer cut at its length counts. */
        const failed = results.flatMap((result) =>
          result._tag === "Failure" && !["CutOff", "EmptyAnswer", "Hopeless"].includes(result.failure.reason._tag)
            ? [result.failure]
            : []
        )
        yield* require(failed.length === 0, () => `${failed.length} of ${many} failed: ${failed[0]?.message}`)
        const refused = events.flatMap((event) =>
          event.type === "model.failed" && event.willRetry ? [event.what] : []
        )
        yield* require(refused.length === 0, () => `${refused.length} were refused at first: ${refused[0]}`)
        const anew = events.flatMap((event) =>
          event.type === "message" && event.text.includes(" anew,") ? [event.text] : []
        )
        yield* require(anew.length === 0, () => anew[0] ?? "")
        const seconds = Math.round((performance.now() - began) / 1000)
        const read = Math.round(usage.promptTokens / many)
        return `all ${many} answered, ${read} of ${target.window} tokens in a prompt, none refused, nothing loaded anew, ${seconds} s`
      })
  }
]
