/** The tool `TOOL_NAME`. Importing this file only defines it: what has to be opened is opened in `tools`. */
import { definePlugin, tool } from "task-conductor/plugin"

const countWords = (text: string): number => text.split(/\s+/).filter((word) => word !== "").length

const wordCount = tool({
  description: "Counts the words and lines of a file. Use it when the length of a text is asked for.",
  parameters: {
    type: "object",
    properties: { path: { type: "string", description: "The file, relative to the project." } },
    required: ["path"]
  },
  /* `safe` calls run without a question, `medium` calls ask, `high` calls ask with a warning. */
  risk: "safe",
  /* `pure`: a repeated call has no further effect. */
  effect: "pure",
  example: { path: "README.md" },
  /* Every file and host that a call uses. The rules of the user decide about each. */
  access: ({ path }) => [{ _tag: "ReadFile", path }],
  execute: async ({ path }, { host }) => {
    const text = await host.readText(path)
    return { path, words: countWords(text), lines: text.replace(/\n$/, "").split("\n").length }
  }
})

export default definePlugin({ name: "PLUGIN_NAME", tools: { TOOL_NAME: wordCount } })
