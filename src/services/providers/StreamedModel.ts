/**
 * A language model whose server streams objects over HTTP, in two forms: the service of effect/ai, which conversations with
 * tools use, and the short way to the answer of one prompt, which does without the streams and schemas of that service.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import type { FilledPrompt } from "../../domain/models/PromptSize.ts"
import type { PartReader, Parts } from "./AnswerBlocks.ts"
import { CallOptions, type CallSettings } from "./CallOptions.ts"
import type { NextObjects } from "./ollama/AnswerExchange.ts"
import { OllamaError } from "./ollama/OllamaErrors.ts"
import { joinParts } from "./ollama/OllamaParts.ts"
import { promptQuestion, type Question } from "./RequestBody.ts"

/** The next parts of an answer, at least one; none when it has ended. */
export type NextParts = Effect.Effect<Parts, AiError.AiError>

/** Messages, and what else a request may say of its answer. */
interface AskedOptions {
  readonly messages: ReadonlyArray<object>
}

/** What a server needs to be asked. */
export interface StreamedServer {
  readonly module: string
  /** The question as the server takes it. */
  readonly readOptions: (asked: LanguageModel.ProviderOptions) => Effect.Effect<AskedOptions, AiError.AiErrorReason>
  /** Sends a question; the end of the scope ends the request. */
  readonly send: (question: Question, settings: CallSettings) => Effect.Effect<NextObjects, OllamaError, Scope.Scope>
  readonly makeReader: () => PartReader
  readonly toError: (error: OllamaError, method: Method) => AiError.AiError
}

type Method = "generateText" | "streamText"

/** Opens the answer to one prompt; absent for a model that can only be asked through effect/ai. */
export const PromptAnswers = Context.Reference<
  ((prompt: FilledPrompt, settings: CallSettings) => Effect.Effect<NextParts, AiError.AiError, Scope.Scope>) | undefined
>("task-conductor/services/providers/PromptAnswers", { defaultValue: () => undefined })

const none: Parts = []

/** The parts that objects make, as far as they can be read. */
const readParts = (next: NextObjects, { end, read }: PartReader): Effect.Effect<Parts, OllamaError> => {
  let hasEnded = false
  let failure: OllamaError | undefined
  const take = (objects: ReadonlyArray<unknown>): Parts => {
    const parts: Array<Response.StreamPartEncoded> = []
    if (objects.length === 0) {
      hasEnded = true
      end(parts)
      return parts
    }
    try {
      for (const object of objects) read(object, parts)
    } catch (cause) {
      if (!(cause instanceof OllamaError)) throw cause
      failure = cause
    }
    return parts
  }
  const more: Effect.Effect<Parts, OllamaError> = Effect.suspend(() => {
    if (failure !== undefined) return Effect.fail(failure)
    if (hasEnded) return Effect.succeed(none)
    return Effect.flatMap(next, (objects) => {
      const parts = take(objects)
      return parts.length > 0 ? Effect.succeed(parts) : more
    })
  })
  return more
}

/** Both services of the model; it is made when the layer is built. */
export const layerStreamed = (
  make: Effect.Effect<StreamedServer, never, Scope.Scope>
): Layer.Layer<LanguageModel.LanguageModel> =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { makeReader, module, readOptions, send, toError } = yield* make

      const open = (
        question: Question,
        settings: CallSettings,
        method: Method
      ): Effect.Effect<NextParts, AiError.AiError, Scope.Scope> => {
        const failed = (error: OllamaError) => toError(error, method)
        return send(question, settings).pipe(
          Effect.map((next) => Effect.mapError(readParts(next, makeReader()), failed)),
          Effect.mapError(failed)
        )
      }

      const streamed = (asked: LanguageModel.ProviderOptions, method: Method) =>
        readOptions(asked).pipe(
          Effect.mapError((reason) => AiError.make({ module, method, reason })),
          Effect.map(({ messages, ...more }) => ({ messages: JSON.stringify(messages), more })),
          Effect.flatMap((question) => Effect.flatMap(CallOptions, (settings) => open(question, settings, method))),
          Effect.map((next) =>
            Stream.unfold(undefined, () =>
              Effect.map(next, (parts) => (parts.length === 0 ? undefined : ([parts, undefined] as const)))
            )
          ),
          Stream.unwrap,
          Stream.flattenIterable
        )

      const model = yield* LanguageModel.make({
        generateText: (asked) => Effect.map(Stream.runCollect(streamed(asked, "generateText")), joinParts),
        streamText: (asked) => streamed(asked, "streamText")
      })
      return Context.make(LanguageModel.LanguageModel, model).pipe(
        Context.add(PromptAnswers, (prompt, settings) => open(promptQuestion(prompt), settings, "streamText"))
      )
    })
  )
