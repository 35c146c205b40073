/**
 * Asks the server of a check through the providers of this project.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as AiError from "effect/ai/AiError"
import * as LanguageModel from "effect/ai/LanguageModel"
import type * as Prompt from "effect/ai/Prompt"
import type * as Response from "effect/ai/Response"
import * as Tool from "effect/ai/Tool"
import * as Toolkit from "effect/ai/Toolkit"
import type { ModelError } from "../../src/domain/models/ModelAnswer.ts"
import { CallOptions, type CallSettings } from "../../src/services/providers/CallOptions.ts"
import { fromAiError } from "../../src/services/providers/ModelErrors.ts"
import { layerOllama } from "../../src/services/providers/ollama/OllamaModel.ts"
import { layerOpenAi } from "../../src/plugins/openai/OpenAiModel.ts"
import type { Target } from "./Check.ts"

export interface Question {
  readonly prompt: string
  /** Messages before the prompt. */
  readonly before?: ReadonlyArray<Prompt.MessageEncoded>
  readonly settings?: Partial<CallSettings>
  readonly model?: string
  readonly window?: number
  readonly keepAlive?: string
  /** Offers a tool. `required` demands a call if the API can. */
  readonly tools?: "auto" | "required"
  /** Stops reading after this many pieces of text or thought. */
  readonly pieces?: number
  /** Called for each piece. */
  readonly heard?: () => void
}

export interface Answer {
  readonly text: string
  readonly thinking: string
  readonly calls: ReadonlyArray<{ readonly name: string; readonly params: unknown }>
  readonly pieces: number
  readonly reason?: Response.FinishReason
  readonly promptTokens?: number
  readonly cachedTokens?: number
  readonly answerTokens?: number
}

const layerOf = (target: Target, { keepAlive, model = target.model, window = target.window }: Question) =>
  target.api === "openai"
    ? layerOpenAi({ host: target.host, model, contextWindow: window, maxAnswerTokens: 64 })
    : layerOllama({
        host: target.host,
        model,
        contextWindow: window,
        maxAnswerTokens: 64,
        keepAlive
      })

const Weather = Tool.make("get_weather", {
  description: "Tells the weather of a city.",
  // Few values, so that a grammar for calls ends soon.
  parameters: Schema.Struct({ city: Schema.Literals(["Rome", "Paris"]) }),
  success: Schema.String
})
const weather = Toolkit.make(Weather)
const handlers = weather.toLayer({ get_weather: () => Effect.succeed("rain") })

interface Part {
  readonly type: string
  readonly delta?: string
  readonly name?: string
  readonly params?: unknown
  readonly reason?: Response.FinishReason
  readonly usage?: Response.FinishPart["usage"]
}

const answerOf = (parts: ReadonlyArray<Part>): Answer => {
  const written = (type: string) => parts.flatMap((part) => (part.type === type ? [part.delta ?? ""] : []))
  const [text, thinking] = [written("text-delta"), written("reasoning-delta")]
  const finish = parts.findLast(({ type }) => type === "finish")
  const counts = {
    reason: finish?.reason,
    promptTokens: finish?.usage?.inputTokens.total,
    cachedTokens: finish?.usage?.inputTokens.cacheRead,
    answerTokens: finish?.usage?.outputTokens.total
  }
  return {
    text: text.join(""),
    thinking: thinking.join(""),
    calls: parts.flatMap(({ name = "", params, type }) => (type === "tool-call" ? [{ name, params }] : [])),
    pieces: text.length + thinking.length,
    ...Object.fromEntries(Object.entries(counts).filter(([, value]) => value !== undefined))
  }
}

const isPiece = ({ type }: Part): boolean => type === "text-delta" || type === "reasoning-delta"

const upTo = <E, R>(parts: Stream.Stream<Part, E, R>, pieces = Infinity): Stream.Stream<Part, E, R> => {
  let seen = 0
  return Stream.takeUntil(parts, (part) => isPiece(part) && ++seen >= pieces)
}

const toolsOf = (mode: "auto" | "required") => ({
  toolkit: weather,
  toolChoice: mode,
  disableToolCallResolution: true as const,
  toolCallValidation: "deferred" as const
})

/** Makes one call with the settings of a question. At temperature 0 the answer is always the same. */
export const ask = (target: Target, question: Question): Effect.Effect<Answer, ModelError> =>
  Effect.suspend(() => {
    const { before = [], pieces, prompt: asked, settings, tools } = question
    const prompt: Prompt.RawInput = [...before, { role: "user", content: asked }]
    let partial = ""
    const parts: Stream.Stream<Part, AiError.AiError, LanguageModel.LanguageModel> =
      tools === undefined
        ? LanguageModel.streamText({ prompt })
        : Stream.provide(LanguageModel.streamText({ prompt, ...toolsOf(tools) }), handlers)
    const noted = Stream.tap(parts, (part) =>
      Effect.sync(() => {
        if (part.type === "text-delta") partial += part.delta ?? ""
        if (isPiece(part)) question.heard?.()
      })
    )
    return Stream.runCollect(upTo(noted, pieces)).pipe(
      Effect.map(answerOf),
      Effect.mapError((error) =>
        fromAiError(error, {
          host: target.host,
          model: question.model ?? target.model,
          partial,
          promptTokens: asked.length,
          window: question.window ?? target.window
        })
      ),
      Effect.provideService(CallOptions, { sampling: { temperature: 0, seed: 1 }, ...settings }),
      Effect.provide(layerOf(target, question))
    )
  })

/** Asks for an answer that fits a schema. */
export const askFor = <A>(target: Target, prompt: string, schema: Schema.Codec<A, Record<string, unknown>>) =>
  LanguageModel.generateObject({ prompt, schema, objectName: "answer" }).pipe(
    Effect.map(({ value }) => value),
    Effect.mapError((error) => fromAiError(error, { host: target.host, model: target.model, partial: "" })),
    Effect.provideService(CallOptions, { sampling: { temperature: 0.8, seed: 1 }, maxTokens: 1024, think: false }),
    Effect.provide(layerOf(target, { prompt }))
  )
