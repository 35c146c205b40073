/**
 * Reads one answer of a model while it is written: collects it, passes it to a listener, and stops as soon as it cannot
 * become a usable answer. Leaving the stream closes the request.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type * as Schema from "effect/Schema"
import type * as AiError from "effect/ai/AiError"
import type * as LanguageModel from "effect/ai/LanguageModel"
import type * as Response from "effect/ai/Response"
import type * as Tool from "effect/ai/Tool"
import {
  type ModelAnswer,
  ModelError,
  type ModelErrorReason,
  type Usage,
  type AskedCall
} from "../../domain/models/ModelAnswer.ts"
import type { FilledPrompt } from "../../domain/models/PromptSize.ts"
import { AnswerWriting, type Phase, type WritingOptions } from "./AnswerWriting.ts"
import { openAnswer, type Talk } from "./ConversationPrompt.ts"
import { type FailureContext, fromAiError } from "../providers/ModelErrors.ts"
import type { Progress } from "../providers/ollama/AnswerExchange.ts"
import { CallOptions, type CallSettings } from "../providers/CallOptions.ts"
import type { AskPrompt, PromptAnswers, TakeParts } from "../providers/StreamedModel.ts"
import { maxNesting, withoutDeeper } from "../../domain/text/Json.ts"
import type { UsageMeter } from "../runs/UsageMeter.ts"

/** A complete answer. */
export interface Received {
  readonly text: string
  readonly thinking: string
  /** About how many tokens were thought. */
  readonly thinkingTokens: number
  readonly calls: ReadonlyArray<AskedCall>
  readonly promptTokens: number | undefined
  /** True when the server reports the cached part of the prompt, so that the count covers the whole prompt. */
  readonly isWholeCount: boolean
  readonly cutOff: boolean
  readonly usage: Usage
}

/** Who is asked; `answers` is the short way, if the model has one. */
export interface Answerer {
  readonly model: LanguageModel.LanguageModel
  readonly answers: (typeof PromptAnswers)["Service"]
}

export interface ReadOptions extends WritingOptions {
  /** For messages. */
  readonly server: Omit<FailureContext, "partial">
  readonly meter: UsageMeter["Service"]
  /** How the answer is written. */
  readonly settings: CallSettings
  readonly talk?: Talk
  /** Is called with each part; `characters` are those of thoughts and text so far. */
  readonly heard?: (characters: number) => void
  /** Is called when the first part of the answer arrives; gives what has to be run then. */
  readonly arrived?: () => Effect.Effect<void> | undefined
  /** Runs when the model begins to think, and when it begins to write after that. */
  readonly entered?: (phase: Phase) => Effect.Effect<void>
}

/** Plain JSON; arguments that are absent or not JSON become an empty object, and what no call may have as many levels is cut. */
const jsonOf = (params: unknown): Schema.Json =>
  JSON.parse(JSON.stringify(withoutDeeper(params as Schema.Json, maxNesting + 1)) ?? "{}")

/** A part of an answer: as effect/ai reads it, or as the server of a model gives it. */
type AnswerPart = Response.StreamPart<Record<string, Tool.Any>, "deferred"> | Response.StreamPartEncoded

/** How often the last piece of an answer came in a row; blanks around a piece do not count. */
class PieceRun {
  piece = ""
  times = 0

  add(delta: string): void {
    const piece = delta.trim()
    this.times = piece === this.piece ? this.times + 1 : 1
    this.piece = piece
  }
}

/** What follows from a part. */
type Follows = Effect.Effect<void, ModelError> | undefined

/** Reads an answer to its end; the request ends with it. Parts are read as they come, whether or not a fiber has its turn. */
const readParts = (
  ask: (take: TakeParts) => ReturnType<AskPrompt>,
  failed: (error: AiError.AiError) => ModelError,
  read: (part: AnswerPart) => Follows
): Effect.Effect<void, ModelError> => {
  const due: Array<Effect.Effect<void, ModelError>> = []
  const take: TakeParts = (parts) => {
    for (const part of parts) {
      const follows = read(part)
      if (follows !== undefined) due.push(follows)
    }
    return due.length > 0
  }
  const goOn = (progress: Progress<AiError.AiError>): Effect.Effect<void, ModelError | AiError.AiError> =>
    Effect.flatMap(progress, (state) => {
      const rest = state === "ended" ? Effect.void : goOn(progress)
      return due.length === 0 ? rest : Effect.andThen(Effect.all(due.splice(0), { discard: true }), rest)
    })
  return Effect.catch(
    Effect.acquireUseRelease(
      // The request is made when it is sent: it holds its body, which then lives no longer than the sending.
      Effect.suspend(() => ask(take)),
      ({ progress }) => goOn(progress),
      ({ close }) => close
    ),
    (error) => Effect.fail(error instanceof ModelError ? error : failed(error))
  )
}

/**
 * Fails with the cause when the answer breaks off, or with `Hopeless` or `ThinkingCutOff` when it was stopped. The error
 * holds the partial text.
 */
export const readAnswer = Effect.fnUntraced(function* (
  { answers, model }: Answerer,
  prompt: FilledPrompt,
  options: ReadOptions
): Effect.fn.Return<Received, ModelError> {
  const { arrived, entered = () => Effect.void, heard, meter, server, settings, talk } = options
  const started = yield* Clock.currentTimeMillis
  const writing = new AnswerWriting(options)
  const run = new PieceRun()
  let finish: Response.FinishPart | Response.FinishPartEncoded | undefined
  let hasArrived = false

  const take = (part: AnswerPart): ModelErrorReason | undefined => {
    switch (part.type) {
      case "text-delta":
        run.add(part.delta)
        return writing.addText(part.delta)
      case "reasoning-delta":
        run.add(part.delta)
        return writing.addThinking(part.delta)
      case "tool-call":
        writing.calls.push({ id: part.id, name: part.name, arguments: jsonOf(part.params) })
        return undefined
      case "finish":
        finish = part
        return undefined
      default:
        return undefined
    }
  }
  const usageOf = Clock.clockWith((clock) => {
    const durationMs = clock.currentTimeMillisUnsafe() - started
    const promptTokens = finish?.usage.inputTokens.total
    const cachedTokens = finish?.usage.inputTokens.cacheRead
    const answerTokens = finish?.usage.outputTokens.total
    const usage: Usage = {
      ...(promptTokens === undefined ? {} : { promptTokens }),
      // A count that leaves out what came from the cache is no whole of which it could be a part.
      ...(cachedTokens === undefined || cachedTokens > (promptTokens ?? 0) ? {} : { cachedTokens }),
      ...(answerTokens === undefined ? {} : { answerTokens }),
      durationMs
    }
    return Effect.as(meter.modelCall(usage), usage)
  })

  const failed = (error: AiError.AiError) => fromAiError(error, { ...server, partial: writing.text, repeated: run })

  const stop = (reason: ModelErrorReason) => Effect.andThen(usageOf, Effect.fail(new ModelError({ reason })))

  let isStopped = false
  /** What follows from a part; nothing from most. */
  const read = (part: AnswerPart): Follows => {
    if (isStopped) return undefined
    const first = hasArrived ? undefined : arrived?.()
    hasArrived = true
    const { phase } = writing
    const reason = take(part)
    isStopped = reason !== undefined
    heard?.(writing.thinking.length + writing.text.length)
    const isNewPhase = writing.phase !== undefined && writing.phase !== phase
    if (first === undefined && !isNewPhase && reason === undefined) return undefined
    return (first ?? Effect.void).pipe(
      Effect.andThen(isNewPhase && writing.phase !== undefined ? entered(writing.phase) : Effect.void),
      Effect.andThen(reason === undefined ? Effect.void : stop(reason))
    )
  }

  if (answers !== undefined && talk === undefined) {
    yield* readParts((take) => answers(prompt, settings, take), failed, read)
  } else {
    yield* openAnswer(model, prompt, talk).pipe(
      Stream.mapError(failed),
      Stream.runForEach((part) => read(part) ?? Effect.void),
      Effect.provideService(CallOptions, settings)
    )
  }
  writing.end()
  const usage = yield* usageOf
  const { calls, text, thinking, thinkingTokens } = writing
  return {
    text,
    thinking,
    thinkingTokens,
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
  thinkingTokens,
  usage
}: Received): Effect.Effect<ModelAnswer, ModelError> => {
  const hasOnlyThought = thinking.trim() !== "" && text.trim() === "" && calls.length === 0
  const reason: ModelErrorReason | undefined = cutOff
    ? hasOnlyThought
      ? { _tag: "ThinkingCutOff", tokens: thinkingTokens }
      : { _tag: "CutOff", partial: text }
    : text.trim() !== "" || calls.length > 0
      ? undefined
      : thinking.trim() === ""
        ? { _tag: "EmptyAnswer" }
        : { _tag: "ThinkingOnly", thinking }
  if (reason !== undefined) return Effect.fail(new ModelError({ reason }))
  return Effect.succeed({
    text,
    thinking,
    ...(calls.length === 0 ? {} : { calls }),
    usage,
    ...(isWholeCount ? { isWholeCount } : {})
  })
}
