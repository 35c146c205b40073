/**
 * A language model whose server streams objects over HTTP, as a service of effect/ai. Every request streams, even when
 * the whole answer is wanted at once, since only a stream shows whether the answer makes progress.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import type { Agent } from "node:http"
import { makeStreamedModel, type PartReader } from "./AnswerParts.ts"
import { CallOptions, type CallSettings, type CallState, watchCall } from "./CallOptions.ts"
import { type Spoken, toAiError } from "./ModelErrors.ts"
import type { ModelOptions } from "./Provider.ts"
import { asServerError, ServerError } from "./ServerFailure.ts"
import { type Exchange, openAgent } from "./ServerTransport.ts"

/** What a call sends: the options of the model with those of the call in their places. */
export type Sent = Omit<CallSettings, "contextWindow" | "maxTokens" | "model"> & {
  readonly model: string
  readonly contextWindow: number
  readonly maxTokens: number
}

/** What is special about a server. */
export interface StreamedServer<Question> {
  readonly spoken: Spoken
  /** Where answers come from. */
  readonly url: string
  /** The question as the server takes it. */
  readonly readOptions: (asked: LanguageModel.ProviderOptions) => Effect.Effect<Question, AiError.AiErrorReason>
  /** Sends a question; gives the objects of the answer as they come. */
  readonly open: (question: Question, sent: Sent, exchange: Exchange) => AsyncIterable<unknown>
  readonly makeReader: () => PartReader
  /** What a failure means for the model that was asked. */
  readonly refine?: (error: ServerError, model: string) => ServerError
}

/** The connections of one model, and when its server last sent an object to any call. */
interface Connection {
  readonly agent: Agent
  heardAt: number
}

/** The parts of one answer. */
const answer = <Question>(
  server: StreamedServer<Question>,
  connection: Connection,
  question: Question,
  options: ModelOptions,
  settings: CallSettings
): Stream.Stream<Response.StreamPartEncoded, ServerError> =>
  Effect.gen(function* () {
    const signal = yield* Effect.abortSignal
    const clock = yield* Clock.Clock
    const state: CallState = { began: clock.currentTimeMillisUnsafe(), isConnected: false, heardAt: undefined }
    const connected = () => {
      state.isConnected = true
      settings.connected?.()
    }
    const { contextWindow, maxTokens, model, think } = settings
    const sent: Sent = {
      ...settings,
      model: model ?? options.model,
      contextWindow: contextWindow ?? options.contextWindow,
      maxTokens: maxTokens ?? options.maxAnswerTokens,
      think: think ?? options.think
    }
    async function* parts() {
      const { end, read } = server.makeReader()
      for await (const object of server.open(question, sent, { agent: connection.agent, connected, signal })) {
        state.heardAt = connection.heardAt = clock.currentTimeMillisUnsafe()
        yield* read(object)
      }
      yield* end()
    }
    return Stream.fromAsyncIterable(parts(), asServerError).pipe(
      Stream.interruptWhen(watchCall(settings.seconds, state, () => connection.heardAt)),
      Stream.mapError((error) => server.refine?.(error, sent.model) ?? error)
    )
  }).pipe(Stream.unwrap)

/** The model as a service. It never fails while it is built: a missing server shows with the first request. */
export const layerStreamed = <Question>(
  server: StreamedServer<Question>,
  options: ModelOptions
): Layer.Layer<LanguageModel.LanguageModel> =>
  Layer.effect(
    LanguageModel.LanguageModel,
    Effect.gen(function* () {
      const connection: Connection = { agent: yield* openAgent(options.host), heardAt: 0 }
      const isAddress = URL.canParse(server.url)
      const { module } = server.spoken
      return yield* makeStreamedModel((asked, method) =>
        Effect.gen(function* () {
          const settings = yield* CallOptions
          const model = settings.model ?? options.model
          const failed = (error: ServerError) => toAiError(error.failure, server.spoken, { method, model })
          if (!isAddress) {
            return yield* failed(new ServerError({ failure: { _tag: "BadAddress", host: options.host } }))
          }
          const question = yield* Effect.mapError(server.readOptions(asked), (reason) =>
            AiError.make({ module, method, reason })
          )
          return Stream.mapError(answer(server, connection, question, options, settings), failed)
        }).pipe(Stream.unwrap)
      )
    })
  )
