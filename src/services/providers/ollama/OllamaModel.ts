/**
 * The language model of an Ollama server for effect/ai. Every request streams, even when the whole answer is wanted at
 * once, since only a stream shows whether the answer makes progress.
 */
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type * as LanguageModel from "effect/ai/LanguageModel"
import type { Sampling, Think } from "../../../domain/models/Generation.ts"
import { makeCallTimers } from "../CallTimers.ts"
import { requestBody } from "../RequestBody.ts"
import { layerStreamed, type StreamedServer } from "../StreamedModel.ts"
import { type Connection, openAnswer, serverPath } from "./AnswerExchange.ts"
import type { ServerAddress } from "./OllamaClient.ts"
import { OllamaError, toAiError } from "./OllamaErrors.ts"
import { makeLineReader } from "./OllamaLines.ts"
import { makePartReader } from "./OllamaParts.ts"
import { readProviderOptions } from "./OllamaRequest.ts"
import { openAgent } from "./OllamaTransport.ts"
import { type CallTimes, timesOf } from "./OllamaWaits.ts"

export interface OllamaModelOptions extends ServerAddress {
  readonly model: string
  /** `num_ctx` in tokens. One value for each model: the server loads it anew whenever it changes. */
  readonly contextWindow: number
  /** `num_predict` in tokens of a call that sets none. Without it a model that repeats itself never stops. */
  readonly maxAnswerTokens: number
  /** How long the server keeps the model loaded, longer than a person thinks at an approval; 30m when absent. */
  readonly keepAlive?: string
  /** Whether and how hard the model thinks in a call that does not set it; left to the model when absent. */
  readonly think?: Think
  /** The longest times of a call that sets none. */
  readonly timeouts?: Partial<CallTimes>
}

/** Parameters of sampling by their names in a request; absent ones are left to the Modelfile. */
const sampledWith = (sampling: Sampling) => ({
  temperature: sampling.temperature,
  top_p: sampling.topP,
  top_k: sampling.topK,
  min_p: sampling.minP,
  seed: sampling.seed,
  repeat_penalty: sampling.repeatPenalty
})

/** Makes the model. It owns the connections to the server; they close with the scope. */
const make = Effect.fnUntraced(function* (
  options: OllamaModelOptions
): Effect.fn.Return<StreamedServer, never, Scope.Scope> {
  const connection: Connection = {
    agent: yield* openAgent(options.host),
    timers: yield* makeCallTimers,
    heard: { at: 0 }
  }
  const { apiKey, host } = options
  const address = `${host}/api/chat`
  const to = serverPath(address, apiKey, "application/x-ndjson")
  return {
    module: "OllamaModel",
    readOptions: readProviderOptions,
    makeReader: makePartReader,
    toError: (error, method) => toAiError(error, { method, url: address }),
    send: (question, settings, take) => {
      if (to === undefined) return Effect.fail(new OllamaError({ reason: { _tag: "BadAddress", host } }))
      const {
        connected = () => undefined,
        contextWindow,
        format,
        maxTokens,
        sampling,
        seconds,
        think = options.think
      } = settings
      const request = {
        model: settings.model ?? options.model,
        ...question.more,
        ...(format === undefined ? {} : { format }),
        stream: true,
        keep_alive: options.keepAlive ?? "30m",
        truncate: false,
        shift: false,
        options: {
          num_ctx: contextWindow ?? options.contextWindow,
          num_predict: maxTokens ?? options.maxAnswerTokens,
          ...sampledWith(sampling)
        },
        ...(think === undefined ? {} : { think })
      }
      return openAnswer(connection, {
        to,
        body: requestBody(question, request),
        reader: makeLineReader(),
        times: timesOf(options.timeouts, seconds),
        connected,
        take
      })
    }
  }
})

export const OllamaModel = {
  /**
   * The model as a service. It never fails while it is built: a missing server shows with the first request.
   * The finish part carries `metadata.ollama`: `doneReason` and `totalMs`, `loadMs`, `promptMs`, `answerMs`.
   */
  layer: (options: OllamaModelOptions): Layer.Layer<LanguageModel.LanguageModel> => layerStreamed(make(options))
}
