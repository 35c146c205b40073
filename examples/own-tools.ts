/** A question that is answered with two tools of the script; one of them is asked about. `node examples/own-tools.ts` */
import { globSync, readFileSync } from "node:fs"
import { ask, tool } from "task-conductor"

const text = (name: string) =>
  ({ type: "object", properties: { [name]: { type: "string" } }, required: [name] }) as const
const grep = tool({
  description: "Lists the files of the project that hold a word.",
  parameters: text("word"),
  risk: "safe",
  effect: "pure",
  execute: async ({ word = "" }) => globSync("src/**/*.ts").filter((path) => readFileSync(path, "utf8").includes(word))
})
const read = tool({
  description: "Reads a file of the project.",
  parameters: text("path"),
  risk: "medium",
  effect: "pure",
  execute: async ({ path }) => readFileSync(String(path), "utf8").slice(0, 8000)
})
const { answer, message } = await ask({
  prompt: process.argv[2] ?? "Where are the limits of a run defined?",
  tools: { grep, read },
  approve: ({ items }) => items.every(({ tool }) => tool === "read")
}).report
console.log(answer || message)
