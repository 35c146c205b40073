/**
 * The tools of every run: files, commands and to-do lists.
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
