import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import { ToolFailure } from "../../src/domain/tools/ToolCall.ts"
import { definePlugin, tool } from "../../src/services/tools/Plugin.ts"

/** A tool as JavaScript writes it, which nobody checks. */
export const acting = (act: () => unknown, resources: Effect.Effect<unknown, never, Scope.Scope> = Effect.void) =>
  definePlugin({
    name: "acting",
    tools: Effect.as(resources, {
      act: tool({
        description: "Acts.",
        parameters: Schema.Struct({}),
        risk: "safe",
        effect: "pure",
        execute: act as () => Effect.Effect<Schema.Json, ToolFailure>
      })
    })
  })
