/**
 * How the tokens of prompts are estimated for each model: by what its server counted of those before.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assumedScale, type TokenScale } from "../../domain/models/PromptSize.ts"
import {
  type TokenCounts,
  type CountVerdict,
  learn,
  noHistory,
  scaleOf,
  type TokenCount
} from "../../domain/models/TokenCounts.ts"

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
    const scales = new Map<string, TokenScale>()
    return TokenCalibration.of({
      scale: (model) => scales.get(model) ?? assumedScale,
      record: (model, count) =>
        Effect.sync(() => {
          const { history, verdict } = learn(histories.get(model) ?? noHistory, count)
          histories.set(model, history)
          scales.set(model, scaleOf(history))
          return verdict
        })
    })
  })
}
