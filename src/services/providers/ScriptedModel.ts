/**
 * A language model with scripted answers, for tests. An answer arrives at once, or when the test releases it, so that a
 * test can decide the order of events.
 */
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import * as Stream from "effect/Stream"
import * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import type { FilledPrompt } from "../../domain/models/PromptSize.ts"
import { type PromptOptions, makeStreamedModel } from "./StreamedModel.ts"
import { estimatedFinish, filledPrompt } from "./PromptText.ts"

/** An answer of the model. `finish` is `length` if it is cut off. */
export interface ScriptedAnswer {
  readonly text: string
  readonly thinking?: string
  readonly finish?: "stop" | "length"
  /** The native tool calls of the answer. `arguments` is an object, or a string that is not valid JSON. */
  readonly calls?: ReadonlyArray<{
    readonly id?: string
    readonly name: string
    readonly arguments: Readonly<Record<string, unknown>> | string
  }>
}

/** Everything that was sent to the model. */
export interface ScriptedRequest {
  readonly messages: ReadonlyArray<Prompt.Message>
  /** The names of the available tools. */
  readonly tools: ReadonlyArray<string>
}

/** A call that waits for its answer. */
export interface HeldCall {
  readonly prompt: FilledPrompt
  readonly request: ScriptedRequest
  readonly answer: (answer: ScriptedAnswer | string) => Effect.Effect<void>
  readonly fail: (error: AiError.AiError) => Effect.Effect<void>
}

const partsOf = (
  promptOptions: PromptOptions,
  said: ScriptedAnswer | string
): ReadonlyArray<Response.StreamPartEncoded> => {
  const answer: ScriptedAnswer = typeof said === "string" ? { text: said } : said
  return [
    ...(answer.thinking === undefined
      ? []
      : ([
          { type: "reasoning-start", id: "thinking" },
          { type: "reasoning-delta", id: "thinking", delta: answer.thinking },
          { type: "reasoning-end", id: "thinking" }
        ] as const)),
    { type: "text-start", id: "text" },
    { type: "text-delta", id: "text", delta: answer.text },
    { type: "text-end", id: "text" },
    ...(answer.calls ?? []).map(({ arguments: params, id, name }, index) => ({
      type: "tool-call" as const,
      id: id ?? `id-${index + 1}`,
      name,
      params
    })),
    estimatedFinish(promptOptions, answer.text, answer.finish ?? "stop")
  ]
}

type Respond = (
  prompt: FilledPrompt,
  request: ScriptedRequest
) => Effect.Effect<ScriptedAnswer | string, AiError.AiError>

const make = (respond: Respond) =>
  makeStreamedModel((promptOptions) => {
    const request = { messages: promptOptions.prompt.content, tools: promptOptions.tools.map(({ name }) => name) }
    return respond(filledPrompt(promptOptions.prompt), request).pipe(
      Effect.map((said) => Stream.fromIterable(partsOf(promptOptions, said))),
      Stream.unwrap
    )
  })

/** The waiting calls of a scripted model, in order. */
export class HeldCalls extends Context.Service<
  HeldCalls,
  {
    /** Waits for the next call. */
    readonly next: Effect.Effect<HeldCall>
    /** The number of waiting calls that `next` has not returned yet. */
    readonly waiting: Effect.Effect<number>
    /** The prompts of calls that were interrupted before their answer. */
    readonly interrupted: () => ReadonlyArray<FilledPrompt>
  }
>()("task-conductor/services/providers/ScriptedModel/HeldCalls") {}

/** Answers at once with the result of the function. An error fails the call. */
const layer = (
  answer: (prompt: FilledPrompt, index: number, request: ScriptedRequest) => ScriptedAnswer | string | AiError.AiError
): Layer.Layer<LanguageModel.LanguageModel> =>
  Layer.effect(
    LanguageModel.LanguageModel,
    Effect.suspend(() => {
      let count = 0
      return make((prompt, request) =>
        Effect.suspend(() => {
          const said = answer(prompt, count++, request)
          return AiError.isAiError(said) ? Effect.fail(said) : Effect.succeed(said)
        })
      )
    })
  )

/** Delays every call until the test answers it. */
const layerHeld: Layer.Layer<LanguageModel.LanguageModel | HeldCalls> = Layer.effectContext(
  Effect.gen(function* () {
    const calls = yield* Queue.unbounded<HeldCall>()
    const interrupted: Array<FilledPrompt> = []
    const model = yield* make(
      Effect.fnUntraced(function* (prompt, request) {
        const answered = yield* Deferred.make<ScriptedAnswer | string, AiError.AiError>()
        yield* Queue.offer(calls, {
          prompt,
          request,
          answer: (answer) => Effect.asVoid(Deferred.succeed(answered, answer)),
          fail: (error) => Effect.asVoid(Deferred.fail(answered, error))
        })
        return yield* Deferred.await(answered).pipe(
          Effect.onInterrupt(() => Effect.sync(() => interrupted.push(prompt)))
        )
      })
    )
    return Context.make(LanguageModel.LanguageModel, model).pipe(
      Context.add(
        HeldCalls,
        HeldCalls.of({
          next: Queue.take(calls),
          waiting: Queue.size(calls),
          interrupted: () => interrupted
        })
      )
    )
  })
)

/** Models for tests: with `layer`, a function answers; with `layerHeld`, the test answers through `HeldCalls`. */
export const ScriptedModel = { layer, layerHeld }
