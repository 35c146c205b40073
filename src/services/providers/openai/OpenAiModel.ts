/**
 * The language model of a server that speaks the API of OpenAI, for effect/ai, over the transport and with the limits of
 * time of the Ollama server. Every request streams, since only a stream shows whether the answer makes progress.
 */
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as LanguageModel from "effect/ai/LanguageModel"
import type { Sampling, Think } from "../../../domain/models/Generation.ts"
import { nameOnServer } from "../../../domain/models/ModelName.ts"
import { type Connection, openAnswer, serverPath } from "../ollama/AnswerExchange.ts"
import type { ServerAddress } from "../ollama/OllamaClient.ts"
import { OllamaError, toAiError } from "../ollama/OllamaErrors.ts"
import { openAgent } from "../ollama/OllamaTransport.ts"
import { type CallTimes, timesOf } from "../ollama/OllamaWaits.ts"
import { makeCallTimers } from "../CallTimers.ts"
import { requestBody } from "../RequestBody.ts"
import { layerStreamed, type StreamedServer } from "../StreamedModel.ts"
import { readRefusal } from "./OpenAiErrors.ts"
import { makeEventReader } from "./OpenAiEvents.ts"
import { makePartReader } from "./OpenAiParts.ts"
import { boundFormat, readProviderOptions } from "./OpenAiRequest.ts"

/** `host` is the base address, from `resolveBaseUrl`. */
export interface OpenAiModelOptions extends ServerAddress {
  /** With or without `openai:`. */
  readonly model: string
  /** `max_tokens` of a call that sets none. Without it a model that repeats itself never stops. */
  readonly maxAnswerTokens: number
  /** Whether and how hard the model thinks in a call that does not set it; left to the server when absent. */
  readonly think?: Think
  /** The longest times of a call that sets none. */
  readonly timeouts?: Partial<CallTimes>
}

/** Parameters of sampling by their names in a request; the last three are extensions of local servers. */
const sampledWith = (sampling: Sampling) => ({
  temperature: sampling.temperature,
  top_p: sampling.topP,
  seed: sampling.seed,
  top_k: sampling.topK,
  min_p: sampling.minP,
  repeat_penalty: sampling.repeatPenalty
})

/** The API knows levels only. */
const effortOf = (think: Think): string => (think === true ? "medium" : think === false ? "none" : think)

/** Makes the model. It owns the connections to the server; they close with the scope. */
const make = Effect.fnUntraced(function* (
  options: OpenAiModelOptions
): Effect.fn.Return<StreamedServer, never, Scope.Scope> {
  const connection: Connection = {
    agent: yield* openAgent(options.host),
    timers: yield* makeCallTimers,
    heard: { at: 0 }
  }
  const { apiKey, host } = options
  const address = `${host}/chat/completions`
  const to = serverPath(address, apiKey, "text/event-stream")
  return {
    module: "OpenAiModel",
    readOptions: readProviderOptions,
    makeReader: makePartReader,
    toError: (error, method) => toAiError(error, { method, url: address, api: "OpenAI" }),
    send: (question, settings, take) => {
      if (to === undefined) return Effect.fail(new OllamaError({ reason: { _tag: "BadAddress", host } }))
      const model = nameOnServer(settings.model ?? options.model)
      const { connected = () => undefined, format, maxTokens, sampling, seconds, think = options.think } = settings
      const request = {
        model,
        ...(format === undefined ? {} : { response_format: boundFormat(format) }),
        ...question.more,
        stream: true,
        stream_options: { include_usage: true },
        max_tokens: maxTokens ?? options.maxAnswerTokens,
        ...sampledWith(sampling),
        ...(think === undefined ? {} : { reasoning_effort: effortOf(think) })
      }
      const opened = openAnswer(connection, {
        to,
        body: requestBody(question, request),
        reader: makeEventReader(),
        times: timesOf(options.timeouts, seconds),
        connected,
        take
      })
      return Effect.map(opened, ({ close, progress }) => ({
        close,
        progress: Effect.mapError(progress, (error) => readRefusal(error, model))
      }))
    }
  }
})

export const OpenAiModel = {
  /** The model as a service. It never fails while it is built: a missing server shows with the first request. */
  layer: (options: OpenAiModelOptions): Layer.Layer<LanguageModel.LanguageModel> => layerStreamed(make(options))
}
