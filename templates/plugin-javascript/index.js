// @ts-check
/** The tool `TOOL_NAME`. Importing this file only defines it: what has to be opened is opened in `tools`. */
import { definePlugin, tool } from "task-conductor/plugin"

/** @param {string} text */
const countWords = (text) => text.split(/\s+/).filter((word) => word !== "").length

const wordCount = tool({
  description: "Counts the words and lines of a file. Use it when the length of a text is asked for.",
  parameters: {
    type: "object",
    properties: { path: { type: "string", description: "The file, relative to the project." } },
    required: ["path"]
  },
  risk: "safe",
  effect: "pure",
  example: { path: "README.md" },
  access: ({ path }) => [{ _tag: "ReadFile", path }],
  execute: async ({ path }, { host }) => {
    const text = await host.readText(path)
    return { path, words: countWords(text), lines: text.split("\n").length }
  }
})

export default definePlugin({ name: "PLUGIN_NAME", tools: { TOOL_NAME: wordCount } })
