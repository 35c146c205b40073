/** Counts the usage of a run: model calls, tool calls, tokens and time. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Usage } from "../../domain/models/ModelAnswer.ts"
import { addModelCall, noUsage, type RunUsage } from "../../domain/runs/RunReport.ts"

export class UsageMeter extends Context.Service<
  UsageMeter,
  {
    modelCall(usage: Usage): Effect.Effect<void>
    readonly toolCall: Effect.Effect<void>
    /** The sums so far. `durationMs` is the time since the layer was created, in milliseconds. */
    readonly total: Effect.Effect<RunUsage>
  }
>()("task-conductor/services/runs/UsageMeter") {
  static readonly layer = Layer.effect(
    UsageMeter,
    Effect.gen(function* () {
      const started = yield* Clock.currentTimeMillis
      let sum = noUsage
      return UsageMeter.of({
        modelCall: (usage) =>
          Effect.sync(() => {
            sum = addModelCall(sum, usage)
          }),
        toolCall: Effect.sync(() => {
          sum = { ...sum, toolCalls: sum.toolCalls + 1 }
        }),
        total: Effect.map(Clock.currentTimeMillis, (now) => ({ ...sum, durationMs: now - started }))
      })
    })
  )
}
