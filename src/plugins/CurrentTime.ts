/**
 * The tool `get_current_time`: models do not know what day it is.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { definePlugin, tool } from "../plugin-kit.ts"

export const currentTime = definePlugin({
  name: "current-time",
  tools: Effect.succeed({
    get_current_time: tool({
      description: "Returns the current date and time in UTC, as ISO 8601.",
      parameters: Schema.Struct({}),
      risk: "safe",
      effect: "pure",
      execute: () => Effect.map(DateTime.now, DateTime.formatIso)
    })
  })
})
