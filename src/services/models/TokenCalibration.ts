/**
 * Measures the prompts of a run before they are sent, by an estimate, and after, by what the server counted, which calibrates
 * the estimate for each model.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  type TokenScale,
  type FilledPrompt,
  estimatePrompt,
  fitsWindow,
  fittingPrompt,
  largestParts,
  neededTokens
} from "../../domain/models/PromptSize.ts"
import {
  type TokenCounts,
  type CountVerdict,
  learn,
  noHistory,
  scaleOf,
  type TokenCount
} from "../../domain/models/TokenCounts.ts"
import { ModelError } from "../../domain/models/ModelAnswer.ts"
import type { RunEvents } from "../runs/RunEvents.ts"
import type { Settings } from "../runs/RunSettings.ts"
import type { Received } from "./AnswerStream.ts"

export class TokenCalibration extends Context.Service<
  TokenCalibration,
  {
    /** The scale for the next prompt of a model, with a margin for what is not known yet. */
    scale(model: string): TokenScale
    /** Learns from what a server counted, and says whether it can have read the whole prompt. */
    record(model: string, count: TokenCount): Effect.Effect<CountVerdict>
  }
>()("task-conductor/services/models/TokenCalibration") {
  static readonly layer: Layer.Layer<TokenCalibration> = Layer.sync(TokenCalibration)(() => {
    const histories = new Map<string, TokenCounts>()
    return TokenCalibration.of({
      scale: (model) => scaleOf(histories.get(model) ?? noHistory),
      record: (model, count) =>
        Effect.sync(() => {
          const { history, verdict } = learn(histories.get(model) ?? noHistory, count)
          histories.set(model, history)
          return verdict
        })
    })
  })
}

/** The model that a prompt goes to, and the window of the call in tokens. */
export interface MeasuredFor {
  readonly name: string
  readonly window: number
}

const unclearCount = (counted: number, estimated: number): string =>
  `The model server counted ${counted} tokens for a prompt of about ${estimated}. Either it leaves out what it had in its cache (Ollama 0.30), or its window is smaller than contextWindow and it dropped the front of the prompt. Look at "ollama ps" for the window.`

export const makePromptMeasure = (
  settings: Settings,
  calibration: TokenCalibration["Service"],
  events: RunEvents["Service"]
) => {
  let isUnclearReported = false

  /** The error of a prompt that the window cannot hold; `counted` is what the server says of it. */
  const overflow = (prompt: FilledPrompt, { name, window }: MeasuredFor, estimated: number, counted?: number) => {
    const parts = largestParts(prompt, calibration.scale(name))
    return new ModelError({
      reason: { _tag: "ContextOverflow", estimated, window, ...(counted === undefined ? {} : { counted }), parts }
    })
  }

  /** Records the token count of the server for a prompt. */
  const learn = (
    { system, user }: FilledPrompt,
    { name, window }: MeasuredFor,
    counted: number,
    isWhole: boolean
  ): Effect.Effect<CountVerdict> => calibration.record(name, { prompt: system + user, counted, isWhole, window })

  return {
    learn,
    /** The prompt in its lighter form when the window of the run cannot hold the whole. */
    fitted: (prompt: FilledPrompt, name: string): FilledPrompt =>
      fittingPrompt(prompt, settings.contextWindow, calibration.scale(name)),
    /** The estimated size of a prompt that the window can hold. */
    fits: (prompt: FilledPrompt, target: MeasuredFor): Effect.Effect<number, ModelError> => {
      const scale = calibration.scale(target.name)
      return fitsWindow(prompt, target.window, scale)
        ? Effect.succeed(estimatePrompt(prompt, scale))
        : Effect.fail(overflow(prompt, target, neededTokens(prompt, scale)))
    },
    /** An answer is unusable if the server did not read the whole prompt. */
    check: (
      prompt: FilledPrompt,
      target: MeasuredFor,
      { isWholeCount, promptTokens: counted }: Received
    ): Effect.Effect<void, ModelError> => {
      if (counted === undefined) return Effect.void
      const estimated = estimatePrompt(prompt, calibration.scale(target.name))
      return Effect.flatMap(learn(prompt, target, counted, isWholeCount), (verdict) => {
        if (verdict === "overflow") return Effect.fail(overflow(prompt, target, estimated, counted))
        if (verdict === "plausible" || isUnclearReported) return Effect.void
        isUnclearReported = true
        return events.publish({ type: "message", level: "warning", text: unclearCount(counted, estimated) })
      })
    }
  }
}
