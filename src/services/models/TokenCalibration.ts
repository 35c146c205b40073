/** Estimates the tokens of prompts for each model from earlier counts of the server. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assumedScale, scaleOfText, type TokenScale } from "../../domain/models/PromptSize.ts"
import {
  type TokenCounts,
  type CountVerdict,
  learn,
  learnRefused,
  noHistory,
  scaleOf,
  type TokenCount
} from "../../domain/models/TokenCounts.ts"

export class TokenCalibration extends Context.Service<
  TokenCalibration,
  {
    /** The characters per token for the next prompt of a model, with a safety margin. */
    scale(model: string): TokenScale
    /** Bases the estimates on this text until a server has counted a prompt. */
    expect(text: string): void
    /** Learns from a prompt that a server refused as too long. */
    refused(model: string, count: Pick<TokenCount, "counted" | "prompt">): void
    /** Learns from a server's token count. Returns whether the server can have read the whole prompt. */
    record(model: string, count: TokenCount): Effect.Effect<CountVerdict>
  }
>()("task-conductor/services/models/TokenCalibration") {
  static readonly layer: Layer.Layer<TokenCalibration> = Layer.sync(TokenCalibration)(() => {
    const histories = new Map<string, TokenCounts>()
    const scales = new Map<string, TokenScale>()
    const put = (model: string, history: TokenCounts): void => {
      histories.set(model, history)
      scales.set(model, scaleOf(history))
    }
    let expected = assumedScale
    return TokenCalibration.of({
      scale: (model) => scales.get(model) ?? expected,
      expect: (text) => {
        if (text !== "") expected = scaleOfText(text)
      },
      refused: (model, count) => put(model, learnRefused(histories.get(model) ?? noHistory, count)),
      record: (model, count) =>
        Effect.sync(() => {
          const { history, verdict } = learn(histories.get(model) ?? noHistory, count)
          put(model, history)
          return verdict
        })
    })
  })
}
