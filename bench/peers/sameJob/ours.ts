import { ask, tool } from "task-conductor"
import { isAllowed, model, print, prompt, readPath, search, url } from "./job.ts"

const text = (name: string) =>
  ({ type: "object", properties: { [name]: { type: "string" } }, required: [name] }) as const
const grep = tool({
  description: "Lists the files that hold a word.",
  parameters: text("word"),
  risk: "safe",
  effect: "pure",
  execute: async ({ word }) => search(String(word))
})
const read = tool({
  description: "Reads a file.",
  parameters: text("path"),
  risk: "medium",
  effect: "pure",
  execute: async ({ path }) => readPath(String(path))
})
const settings = { model, host: url, configuration: false, toolCalls: "native", contextWindow: 8192 } as const
const output = { file: { type: "string" }, rounds: { type: "integer" } } as const
const { message, status, value } = await ask({
  ...settings,
  prompt,
  tools: { grep, read },
  approve: () => isAllowed,
  outputSchema: { type: "object", properties: output, required: ["file", "rounds"] }
}).report
print({ status, value, message })
