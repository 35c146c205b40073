/**
 * A plugin with one tool, checked with `checkPlugin` and used by a run. `node examples/write-a-tool.ts`
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { run } from "task-conductor"
import { definePlugin, tool } from "task-conductor/plugin"
import { checkPlugin } from "task-conductor/testing"

const wordCount = tool({
  description: "Counts the words of a text. Use it when a length in words is asked for.",
  parameters: Schema.Struct({ text: Schema.String.annotate({ description: "The text to count." }) }),
  risk: "safe",
  effect: "pure",
  example: { text: "one two three" },
  execute: ({ text }) => Effect.succeed(text.trim().split(/\s+/).length)
})

const plugin = definePlugin({ name: "word-count", tools: Effect.succeed({ word_count: wordCount }) })

console.log("problems:", await checkPlugin(plugin))

const { report } = run({
  prompt: "How many words has the readme?",
  project: `${import.meta.dirname}/..`,
  model: "embedded",
  allow: ["read_file"],
  plugins: [plugin]
})
console.log((await report).status)
