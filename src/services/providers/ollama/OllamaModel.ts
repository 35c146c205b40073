/**
 * The language model of an Ollama server for effect/ai. Every request streams, even when the whole answer is wanted at
 * once, since only a stream shows whether the answer makes progress.
 */
import type { Agent } from "node:http"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as AiError from "effect/ai/AiError"
import { IdGenerator } from "effect/ai/IdGenerator"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import type { ChatRequest } from "ollama/browser"
import type { Sampling, Think } from "../../../domain/models/Generation.ts"
import { CallOptions } from "../CallOptions.ts"
import { ModelOverride } from "../ModelOverride.ts"
import { piecesWithin } from "./AnswerPieces.ts"
import { makeClient, type ServerAddress } from "./OllamaClient.ts"
import { type OllamaError, toAiError } from "./OllamaErrors.ts"
import { joinParts, makePartReader } from "./OllamaParts.ts"
import { readProviderOptions } from "./OllamaRequest.ts"
import { openAgent, openExchange } from "./OllamaTransport.ts"
import { beginWaits, type CallTimes, type Heard, timesOf } from "./OllamaWaits.ts"

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

/** The request for the package. The server accepts `truncate` and `shift`, which the types of the package lack. */
interface SentRequest extends ChatRequest {
  readonly stream: true
  readonly truncate: boolean
  readonly shift: boolean
}

/** Parameters of sampling by their names in a request; absent ones are left to the Modelfile. */
const sampledWith = (sampling: Sampling) => {
  const named = {
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: sampling.topK,
    min_p: sampling.minP,
    seed: sampling.seed,
    repeat_penalty: sampling.repeatPenalty
  }
  return Object.fromEntries(
    Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  )
}

/** What all calls share. */
interface Connection {
  readonly agent: Agent
  readonly heard: Heard
}

/** The lines of one answer. The exchange belongs to the scope: a reader that stops closes the socket. */
const readAnswer = Effect.fnUntraced(function* (
  options: OllamaModelOptions,
  { agent, heard }: Connection,
  request: SentRequest
): Effect.fn.Return<Stream.Stream<unknown, OllamaError>, OllamaError, Scope.Scope> {
  const { connected = () => undefined, seconds } = yield* CallOptions
  let isConnected = false
  const onConnected = () => {
    isConnected = true
    connected()
  }
  const client = yield* makeClient(options, yield* openExchange(agent, "lines", onConnected))
  const waits = yield* beginWaits(timesOf(options.timeouts, seconds), heard, () => isConnected)
  return yield* piecesWithin(waits, async () => (await client.chat(request))[Symbol.asyncIterator]())
})

const streamParts = (
  options: OllamaModelOptions,
  connection: Connection,
  method: "generateText" | "streamText",
  asked: LanguageModel.ProviderOptions
): Stream.Stream<Response.StreamPartEncoded, AiError.AiError, IdGenerator> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const question = yield* readProviderOptions(asked).pipe(
        Effect.mapError((reason) => AiError.make({ module: "OllamaModel", method, reason }))
      )
      const read = makePartReader(yield* IdGenerator)
      const override = yield* ModelOverride
      const { contextWindow, format, maxTokens, sampling, think = options.think } = yield* CallOptions
      const lines = readAnswer(options, connection, {
        model: override ?? options.model,
        ...question,
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
      })
      return Stream.unwrap(lines).pipe(
        Stream.mapEffect(read),
        Stream.flattenIterable,
        Stream.mapError((error) => toAiError(error, { method, url: `${options.host}/api/chat` }))
      )
    })
  )

/** Makes the model. It owns the connections to the server; they close with the scope. */
const make = Effect.fnUntraced(function* (
  options: OllamaModelOptions
): Effect.fn.Return<LanguageModel.LanguageModel, never, Scope.Scope> {
  const connection: Connection = { agent: yield* openAgent(options.host), heard: { at: 0 } }
  return yield* LanguageModel.make({
    generateText: (asked) =>
      Stream.runCollect(streamParts(options, connection, "generateText", asked)).pipe(Effect.map(joinParts)),
    streamText: (asked) => streamParts(options, connection, "streamText", asked)
  })
})

export const OllamaModel = {
  /**
   * The model as a service. It never fails while it is built: a missing server shows with the first request.
   * The finish part carries `metadata.ollama`: `doneReason` and `totalMs`, `loadMs`, `promptMs`, `answerMs`.
   */
  layer: (options: OllamaModelOptions): Layer.Layer<LanguageModel.LanguageModel> =>
    Layer.effect(LanguageModel.LanguageModel, make(options))
}
