/**
 * A language model whose server streams objects over HTTP, as a service of effect/ai. Every request streams, even when
 * the whole answer is wanted at once, since only a stream shows whether the answer makes progress.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import { type Asked, makeStreamedModel, type PartReader } from "./AnswerParts.ts"
import { CallOptions, type CallSettings, type CallState, watchCall } from "./CallOptions.ts"
import { type Spoken, toAiError } from "./ModelErrors.ts"
import type { ModelOptions } from "./Provider.ts"
import { asServerError, brokenOff, ServerError } from "./ServerFailure.ts"
import { type Exchange, openAgent } from "./ServerTransport.ts"

/** What a call sends: the options of the model with those of the call in their places. */
export type Sent = Omit<CallSettings, "contextWindow" | "maxTokens" | "model"> & {
  readonly model: string
  readonly contextWindow: number
  readonly maxTokens: number
}

/** What is special about a server. */
interface StreamedServer<Question> {
  readonly spoken: Spoken
  /** Where answers come from. */
  readonly url: string
  /** The question as the server takes it. */
  readonly readOptions: (asked: Asked) => Effect.Effect<Question, AiError.AiErrorReason>
  /** Sends a question; gives the objects of the answer as they come. */
  readonly open: (question: Question, sent: Sent, exchange: Exchange) => Promise<AsyncIterable<unknown>>
  readonly makeReader: (sent: Sent) => PartReader
  /** What a failure means for the model that was asked. */
  readonly refine?: (error: ServerError, model: string) => ServerError
}

/** Why a request is ended whose answer was read, or is not wanted any more. */
const notRead = brokenOff("nobody reads the answer any more")

/** The model as a service. It never fails while it is built: a missing server shows with the first request. */
export const layerStreamed = <Question>(
  server: StreamedServer<Question>,
  options: ModelOptions
): Layer.Layer<LanguageModel.LanguageModel> =>
  Layer.effect(
    LanguageModel.LanguageModel,
    Effect.gen(function* () {
      const agent = yield* openAgent(options.host)
      const clock = yield* Clock.Clock
      const { module } = server.spoken
      /** When the server last sent an object to any call. */
      let heardAny = 0

      const answer = Effect.fnUntraced(function* (asked: Asked, method: string) {
        const settings = yield* CallOptions
        const sent: Sent = {
          ...settings,
          model: settings.model ?? options.model,
          contextWindow: settings.contextWindow ?? options.contextWindow,
          maxTokens: settings.maxTokens ?? options.maxAnswerTokens,
          think: settings.think ?? options.think
        }
        const failed = ({ failure }: ServerError) => toAiError(failure, server.spoken, { method, model: sent.model })
        if (!URL.canParse(server.url)) {
          return yield* failed(new ServerError({ failure: { _tag: "BadAddress", host: options.host } }))
        }
        const question = yield* Effect.mapError(server.readOptions(asked), (reason) =>
          AiError.make({ module, method, reason })
        )
        const { signal } = yield* Effect.acquireRelease(
          Effect.sync(() => new AbortController()),
          (call) => Effect.sync(() => call.abort(notRead))
        )
        const state: CallState = { began: clock.currentTimeMillisUnsafe(), isConnected: false, heardAt: undefined }
        const connected = () => {
          state.isConnected = true
          settings.connected?.()
        }
        /** What has come by the time that it is asked for goes on together. */
        const receive = async (parts: Queue.Queue<Response.StreamPartEncoded, ServerError | Cause.Done>) => {
          try {
            const { end, read } = server.makeReader(sent)
            for await (const object of await server.open(question, sent, { agent, connected, signal })) {
              state.heardAt = heardAny = clock.currentTimeMillisUnsafe()
              for (const part of read(object)) Queue.offerUnsafe(parts, part)
            }
            for (const part of end()) Queue.offerUnsafe(parts, part)
            Queue.endUnsafe(parts)
          } catch (cause) {
            Queue.failCauseUnsafe(parts, Cause.fail(asServerError(cause)))
          }
        }
        return Stream.callback<Response.StreamPartEncoded, ServerError>((parts) => {
          void receive(parts)
          return watchCall(settings.seconds, state, () => heardAny)
        }).pipe(Stream.mapError((error) => failed(server.refine?.(error, sent.model) ?? error)))
      })
      return yield* makeStreamedModel((asked, method) => Stream.unwrap(answer(asked, method)))
    })
  )
