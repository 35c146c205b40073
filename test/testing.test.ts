import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { definePlugin, type Plugin, tool, ToolFailure, type Tools } from "../src/plugin-kit.ts"
import { checkPlugin } from "../src/testing.ts"

const wordCount = tool({
  description: "Counts the words of a text.",
  parameters: Schema.Struct({ text: Schema.String }),
  risk: "safe",
  effect: "pure",
  example: { text: "one two" },
  execute: ({ text }) => Effect.succeed(text.split(/\s+/).length)
})

const pluginOf = (tools: Tools): Plugin => definePlugin({ name: "words", tools: Effect.succeed(tools) })

describe("checkPlugin", () => {
  it("finds nothing wrong with a good plugin", async () => {
    assert.deepStrictEqual(await checkPlugin(pluginOf({ word_count: wordCount })), [])
  })

  it("says what the host would say", async () => {
    assert.deepStrictEqual(await checkPlugin({ ...pluginOf({ word_count: wordCount }), apiVersion: 7 }), [
      'The plugin "words" is not used: it is made for version 7 of the plugin interface, this program has 1. Install a version of it that fits.'
    ])
    assert.deepStrictEqual(await checkPlugin(pluginOf({ read_file: wordCount })), [
      'The plugin "words" is not used: its tool "read_file" exists already (built-in). Rename it or leave one of the two out.'
    ])
  })

  it("finds an example that cannot be called", async () => {
    const touching = tool({
      ...wordCount,
      access: () => [{ _tag: "ReadFile", path: "a\u0000b" }]
    })
    const [problem] = await checkPlugin(pluginOf({ touching }))
    assert.match(problem ?? "", /^the example of "touching": /)
  })

  it("says so when a plugin has no tools, no name, or cannot open its tools", async () => {
    const nameless = definePlugin({ name: " ", tools: Effect.succeed({}) })
    assert.deepStrictEqual(await checkPlugin(nameless), ["the plugin has no name", "the plugin has no tools"])
    const broken = definePlugin({
      name: "broken",
      tools: Effect.fail(new ToolFailure({ type: "io_error", message: "no database" }))
    })
    assert.match((await checkPlugin(broken)).join(), /^The plugin "broken" is not used: .*no database/s)
  })
})
