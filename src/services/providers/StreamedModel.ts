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
import type { OpenAnswer, TakeObjects } from "./ollama/AnswerExchange.ts"
import type { OllamaError } from "./ollama/OllamaErrors.ts"
import { joinParts } from "./ollama/OllamaParts.ts"
import { promptQuestion, type Question } from "./RequestBody.ts"

/** Gets the parts of an answer as they come; true when `Progress` has to go on. */
export type TakeParts = (parts: Parts) => boolean

/** Sends a prompt. */
export type AskPrompt = (
  prompt: FilledPrompt,
  settings: CallSettings,
  take: TakeParts
) => Effect.Effect<OpenAnswer<AiError.AiError>, AiError.AiError>

/** Messages, and what else a request may say of its answer. */
interface AskedOptions {
  readonly messages: ReadonlyArray<object>
}

/** What a server needs to be asked. */
export interface StreamedServer {
  readonly module: string
  /** The question as the server takes it. */
  readonly readOptions: (asked: LanguageModel.ProviderOptions) => Effect.Effect<AskedOptions, AiError.AiErrorReason>
  readonly send: (
    question: Question,
    settings: CallSettings,
    take: TakeObjects
  ) => Effect.Effect<OpenAnswer, OllamaError>
  readonly makeReader: () => PartReader
  readonly toError: (error: OllamaError, method: Method) => AiError.AiError
}

type Method = "generateText" | "streamText"

/** Asks with one prompt; absent for a model that can only be asked through effect/ai. */
export const PromptAnswers = Context.Reference<AskPrompt | undefined>(
  "task-conductor/services/providers/PromptAnswers",
  { defaultValue: () => undefined }
)

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
        method: Method,
        take: TakeParts
      ): ReturnType<AskPrompt> => {
        const failed = (error: OllamaError) => toError(error, method)
        const { end, read } = makeReader()
        const takeObjects: TakeObjects = (objects) => {
          const parts: Array<Response.StreamPartEncoded> = []
          let isAsked = false
          try {
            for (const object of objects) read(object, parts)
          } finally {
            // What was read before an object that is none of an answer counts, too.
            isAsked = take(parts)
          }
          return isAsked
        }
        const untilEnd = Effect.mapBoth({
          onFailure: failed,
          onSuccess: (state: "asked" | "ended") => {
            if (state === "ended") {
              const parts: Array<Response.StreamPartEncoded> = []
              end(parts)
              take(parts)
            }
            return state
          }
        })
        return Effect.mapBoth(send(question, settings, takeObjects), {
          onFailure: failed,
          onSuccess: ({ close, progress }) => ({ close, progress: untilEnd(progress) })
        })
      }

      const streamed = (asked: LanguageModel.ProviderOptions, method: Method) => {
        let arrived: Array<Response.StreamPartEncoded> = []
        const take: TakeParts = (parts) => arrived.push(...parts) > 0
        const parts = (state: "asked" | "ended") => {
          const taken = arrived
          arrived = []
          return [taken, state] as const
        }
        return readOptions(asked).pipe(
          Effect.mapError((reason) => AiError.make({ module, method, reason })),
          Effect.map(({ messages, ...more }) => ({ messages: JSON.stringify(messages), more })),
          Effect.flatMap((question) =>
            Effect.flatMap(CallOptions, (settings) =>
              Effect.acquireRelease(open(question, settings, method, take), ({ close }) => close)
            )
          ),
          Effect.map(({ progress }) =>
            Stream.unfold("asked" as "asked" | "ended", (state) =>
              state === "ended" ? Effect.undefined : Effect.map(progress, parts)
            )
          ),
          Stream.unwrap,
          Stream.flattenIterable
        )
      }

      const model = yield* LanguageModel.make({
        generateText: (asked) => Effect.map(Stream.runCollect(streamed(asked, "generateText")), joinParts),
        streamText: (asked) => streamed(asked, "streamText")
      })
      return Context.make(LanguageModel.LanguageModel, model).pipe(
        Context.add(PromptAnswers, (prompt, settings, take) =>
          open(promptQuestion(prompt), settings, "streamText", take)
        )
      )
    })
  )
