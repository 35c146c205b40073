/**
 * The tools that every run has, for files, commands and lists.
 */
import * as Effect from "effect/Effect"
import { definePlugin } from "../../plugin-kit.ts"

export const tools = definePlugin({
  name: "tools",
  tools: Effect.flatMap(
    Effect.promise(() => import("./builtIns.ts")),
    ({ builtInTools }) => builtInTools
  )
})
