// @ts-check
/** The tool `TOOL_NAME`. Importing this file only defines it: what has to be opened is opened in `tools`. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { definePlugin, tool, Workspace } from "task-conductor/plugin"

const maxBytes = 1_000_000

/** @param {string} text */
const countWords = (text) => text.split(/\s+/).filter((word) => word !== "").length

const wordCount = tool({
  description: "Counts the words and lines of a file. Use it when the length of a text is asked for.",
  parameters: Schema.Struct({
    path: Schema.String.annotate({ description: "The file, relative to the project." })
  }),
  risk: "safe",
  effect: "pure",
  example: { path: "README.md" },
  access: ({ path }) => [{ _tag: "ReadFile", path }],
  execute: ({ path }) =>
    Effect.gen(function* () {
      const workspace = yield* Workspace
      const text = yield* workspace.readText(path, maxBytes)
      return { path, words: countWords(text), lines: text.split("\n").length }
    })
})

export default definePlugin({ name: "PLUGIN_NAME", tools: Effect.succeed({ TOOL_NAME: wordCount }) })
