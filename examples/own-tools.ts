/** A question that is answered with two tools of the script; one of them is asked about. `node examples/own-tools.ts` */
import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { ask, tool } from "../src/index.ts"

const text = (name: string) =>
  ({ type: "object", properties: { [name]: { type: "string" } }, required: [name] }) as const
const grep = tool({
  description: "Lists the lines of the project that hold a word, as path:line:text.",
  parameters: text("word"),
  risk: "safe",
  effect: "pure",
  execute: async ({ word }) =>
    execFileSync("git", ["grep", "-n", "-e", String(word)], { encoding: "utf8" }).slice(0, 4000)
})
const read = tool({
  description: "Reads a file of the project.",
  parameters: text("path"),
  risk: "medium",
  effect: "pure",
  execute: async ({ path }) => readFileSync(String(path), "utf8").slice(0, 8000)
})
const { report } = ask({
  prompt: process.argv[2] ?? "Where are the limits of a run defined?",
  tools: { grep, read },
  approve: ({ items }) => items.every(({ tool }) => tool === "read")
})
const { answer, message, status } = await report
console.log(status === "done" ? answer : `${status}: ${message}`)
