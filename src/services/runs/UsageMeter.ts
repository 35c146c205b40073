/**
 * Counts the usage of a run: model calls, tool calls, tokens and time.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { cachedTokensOf } from "../../domain/models/TokenCounts.ts"
import type { Usage } from "../../domain/models/ModelAnswer.ts"
import type { RunUsage } from "../../domain/runs/RunReport.ts"

const nothing: RunUsage = { modelCalls: 0, toolCalls: 0, promptTokens: 0, answerTokens: 0, modelMs: 0, durationMs: 0 }

export class UsageMeter extends Context.Service<
  UsageMeter,
  {
    modelCall(usage: Usage): Effect.Effect<void>
    readonly toolCall: Effect.Effect<void>
    /** The sums so far; `durationMs` counts from the building of the layer. */
    readonly total: Effect.Effect<RunUsage>
  }
>()("task-conductor/services/runs/UsageMeter") {
  static readonly layer = Layer.effect(
    UsageMeter,
    Effect.gen(function* () {
      const started = yield* Clock.currentTimeMillis
      let sum = nothing
      return UsageMeter.of({
        modelCall: (usage) =>
          Effect.sync(() => {
            const { cachedTokens: _, ...rest } = sum
            sum = {
              ...rest,
              modelCalls: sum.modelCalls + 1,
              promptTokens: sum.promptTokens + (usage.promptTokens ?? 0),
              ...cachedTokensOf([sum, usage]),
              answerTokens: sum.answerTokens + (usage.answerTokens ?? 0),
              modelMs: sum.modelMs + usage.durationMs
            }
          }),
        toolCall: Effect.sync(() => {
          sum = { ...sum, toolCalls: sum.toolCalls + 1 }
        }),
        total: Effect.map(Clock.currentTimeMillis, (now) => ({ ...sum, durationMs: now - started }))
      })
    })
  )
}
