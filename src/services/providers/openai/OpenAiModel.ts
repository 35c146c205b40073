/**
 * The language model of a server that speaks the API of OpenAI, for effect/ai, over the transport and with the limits of
 * time of the Ollama server. Every request streams, since only a stream shows whether the answer makes progress.
 */
import type { Agent } from "node:http"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as AiError from "effect/ai/AiError"
import { IdGenerator } from "effect/ai/IdGenerator"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import type { Sampling, Think } from "../../../domain/models/Generation.ts"
import { nameOnServer } from "../../../domain/models/ModelName.ts"
import { CallOptions } from "../CallOptions.ts"
import { ModelOverride } from "../ModelOverride.ts"
import { piecesWithin } from "../ollama/AnswerPieces.ts"
import type { ServerAddress } from "../ollama/OllamaClient.ts"
import { OllamaError, toAiError } from "../ollama/OllamaErrors.ts"
import { joinParts } from "../ollama/OllamaParts.ts"
import { openAgent, openExchange } from "../ollama/OllamaTransport.ts"
import { beginWaits, type CallTimes, type Heard, timesOf } from "../ollama/OllamaWaits.ts"
import { readRefusal } from "./OpenAiErrors.ts"
import { guardEvents } from "./OpenAiEvents.ts"
import { makePartReader } from "./OpenAiParts.ts"
import { readProviderOptions } from "./OpenAiRequest.ts"

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
const sampledWith = (sampling: Sampling) => {
  const named = {
    temperature: sampling.temperature,
    top_p: sampling.topP,
    seed: sampling.seed,
    top_k: sampling.topK,
    min_p: sampling.minP,
    repeat_penalty: sampling.repeatPenalty
  }
  return Object.fromEntries(
    Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  )
}

/** The API knows levels only. */
const effortOf = (think: Think): string => (think === true ? "medium" : think === false ? "none" : think)

/** What all calls share. */
interface Connection {
  readonly agent: Agent
  readonly heard: Heard
}

/** The objects of one answer, as they come. */
async function* objectsOf(response: globalThis.Response): AsyncGenerator<unknown, void, void> {
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    for (const line of decoder.decode(chunk).split("\n")) if (line !== "") yield JSON.parse(line)
  }
}

const authorization = ({ apiKey }: ServerAddress): Readonly<Record<string, string>> =>
  apiKey === undefined ? {} : { Authorization: `Bearer ${Redacted.value(apiKey)}` }

/** The chunks of one answer. The exchange belongs to the scope: a reader that stops closes the socket. */
const readAnswer = Effect.fnUntraced(function* (
  options: OpenAiModelOptions,
  { agent, heard }: Connection,
  body: object
): Effect.fn.Return<Stream.Stream<unknown, OllamaError>, OllamaError, Scope.Scope> {
  const { connected = () => undefined, seconds } = yield* CallOptions
  let isConnected = false
  const onConnected = () => {
    isConnected = true
    connected()
  }
  const exchange = yield* openExchange(agent, guardEvents, onConnected)
  const waits = yield* beginWaits(timesOf(options.timeouts, seconds), heard, () => isConnected)
  return yield* piecesWithin(waits, async () => {
    const response = await exchange(`${options.host}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "text/event-stream", ...authorization(options) },
      body: JSON.stringify(body)
    })
    return objectsOf(response)
  })
})

const streamParts = (
  options: OpenAiModelOptions,
  connection: Connection,
  method: "generateText" | "streamText",
  asked: LanguageModel.ProviderOptions
): Stream.Stream<Response.StreamPartEncoded, AiError.AiError, IdGenerator> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const question = yield* readProviderOptions(asked).pipe(
        Effect.mapError((reason) => AiError.make({ module: "OpenAiModel", method, reason }))
      )
      const reader = makePartReader(yield* IdGenerator)
      const model = nameOnServer((yield* ModelOverride) ?? options.model)
      const { maxTokens, sampling, think = options.think } = yield* CallOptions
      const chunks = readAnswer(options, connection, {
        model,
        ...question,
        stream: true,
        stream_options: { include_usage: true },
        max_tokens: maxTokens ?? options.maxAnswerTokens,
        ...sampledWith(sampling),
        ...(think === undefined ? {} : { reasoning_effort: effortOf(think) })
      })
      return Stream.unwrap(chunks).pipe(
        Stream.mapEffect(reader.read),
        Stream.concat(Stream.suspend(() => Stream.succeed(reader.end()))),
        Stream.flattenIterable,
        Stream.mapError((error) =>
          toAiError(readRefusal(error, model), { method, url: `${options.host}/chat/completions`, api: "OpenAI" })
        )
      )
    })
  )

/** Makes the model. It owns the connections to the server; they close with the scope. */
const make = Effect.fnUntraced(function* (
  options: OpenAiModelOptions
): Effect.fn.Return<LanguageModel.LanguageModel, never, Scope.Scope> {
  const connection: Connection = { agent: yield* openAgent(options.host), heard: { at: 0 } }
  return yield* LanguageModel.make({
    generateText: (asked) =>
      Stream.runCollect(streamParts(options, connection, "generateText", asked)).pipe(Effect.map(joinParts)),
    streamText: (asked) => streamParts(options, connection, "streamText", asked)
  })
})

export const OpenAiModel = {
  /** The model as a service. It never fails while it is built: a missing server shows with the first request. */
  layer: (options: OpenAiModelOptions): Layer.Layer<LanguageModel.LanguageModel> =>
    Layer.effect(LanguageModel.LanguageModel, make(options))
}
