/**
 * Reads one answer of a model while it is written: collects it, passes it to a listener, and stops as soon as it cannot
 * become a usable answer. Leaving the stream closes the request.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Schema from "effect/Schema"
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import type * as Tool from "effect/ai/Tool"
import {
  type AnswerShape,
  AnswerWatch,
  type Hopelessness,
  longestPreamble
} from "../../domain/documents/AnswerWatch.ts"
import {
  ModelAnswer,
  ModelError,
  type ModelErrorReason,
  type Usage,
  type AskedCall
} from "../../domain/models/ModelAnswer.ts"
import type { FilledPrompt } from "../../domain/models/PromptSize.ts"
import { openAnswer, type Talk } from "./ConversationPrompt.ts"
import { fromAiError } from "../providers/ModelErrors.ts"
import type { UsageMeter } from "../runs/UsageMeter.ts"

/** A complete answer. */
export interface Received {
  readonly text: string
  readonly thinking: string
  readonly calls: ReadonlyArray<AskedCall>
  readonly promptTokens: number | undefined
  /** True when the server reports the cached part of the prompt, so that the count covers the whole prompt. */
  readonly isWholeCount: boolean
  readonly cutOff: boolean
  readonly usage: Usage
}

export interface ReadOptions {
  /** For messages. */
  readonly server: { readonly host: string; readonly model: string }
  readonly meter: UsageMeter["Service"]
  readonly shape?: AnswerShape
  readonly talk?: Talk
  readonly listen?: (delta: string) => void
}

/** Plain JSON; arguments that are absent or not JSON become an empty object. */
const jsonOf = (params: unknown): Schema.Json => JSON.parse(JSON.stringify(params) ?? "{}")

const quoted = (unit: string): string => (unit.length > 120 ? `${unit.slice(0, 120)}...` : unit)

const detailOf = (found: Hopelessness): string =>
  found.kind === "loop"
    ? `it repeated "${quoted(found.unit)}" ${found.times} times`
    : `after ${longestPreamble} characters it had no heading, code block or field of the document that begins with "${found.begins}"`

/**
 * Fails with the cause when the answer breaks off, or with `Hopeless` when it was stopped. The error holds the partial
 * text.
 */
export const readAnswer = Effect.fn("readAnswer")(function* (
  model: LanguageModel.LanguageModel,
  prompt: FilledPrompt,
  { listen, meter, server, shape, talk }: ReadOptions
): Effect.fn.Return<Received, ModelError> {
  const started = yield* Clock.currentTimeMillis
  const watch = new AnswerWatch(shape)
  let text = ""
  let thinking = ""
  const calls: Array<AskedCall> = []
  let finish: Response.FinishPart | undefined

  const take = (part: Response.StreamPart<Record<string, Tool.Any>, "deferred">): Hopelessness | undefined => {
    switch (part.type) {
      case "text-delta":
        text += part.delta
        listen?.(part.delta)
        return watch.text(part.delta)
      case "reasoning-delta":
        thinking += part.delta
        return watch.thinking(part.delta)
      case "tool-call":
        calls.push({ id: part.id, name: part.name, arguments: jsonOf(part.params) })
        return undefined
      case "finish":
        finish = part
        return undefined
      default:
        return undefined
    }
  }
  const usageOf = Effect.gen(function* () {
    const durationMs = (yield* Clock.currentTimeMillis) - started
    const promptTokens = finish?.usage.inputTokens.total
    const answerTokens = finish?.usage.outputTokens.total
    const usage: Usage = {
      durationMs,
      ...(promptTokens === undefined ? {} : { promptTokens }),
      ...(answerTokens === undefined ? {} : { answerTokens })
    }
    yield* meter.modelCall(usage)
    return usage
  })

  yield* openAnswer(model, prompt, talk).pipe(
    Stream.mapError((error) => fromAiError(error, { ...server, partial: text })),
    Stream.runForEach((part) => {
      const found = take(part)
      if (found === undefined) return Effect.void
      const reason: ModelErrorReason = {
        _tag: "Hopeless",
        kind: found.kind,
        detail: detailOf(found),
        partial: text
      }
      return Effect.andThen(usageOf, new ModelError({ reason }))
    })
  )
  const usage = yield* usageOf
  return {
    text,
    thinking,
    calls,
    promptTokens: usage.promptTokens,
    isWholeCount: finish?.usage.inputTokens.cacheRead !== undefined,
    cutOff: finish?.reason === "length",
    usage
  }
})

/** The answer, unless it is cut off, empty or only thinking; an answer with calls needs no text. */
export const usableAnswer = ({
  calls,
  cutOff,
  isWholeCount,
  text,
  thinking,
  usage
}: Received): Effect.Effect<ModelAnswer, ModelError> => {
  const reason: ModelErrorReason | undefined = cutOff
    ? { _tag: "CutOff", partial: text }
    : text.trim() !== "" || calls.length > 0
      ? undefined
      : thinking.trim() === ""
        ? { _tag: "EmptyAnswer" }
        : { _tag: "ThinkingOnly", thinking }
  if (reason !== undefined) return Effect.fail(new ModelError({ reason }))
  const more = { ...(calls.length === 0 ? {} : { calls }), ...(isWholeCount ? { isWholeCount } : {}) }
  return Effect.succeed(new ModelAnswer({ text, thinking, usage, ...more }))
}
