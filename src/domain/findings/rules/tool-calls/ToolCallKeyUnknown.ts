/** The rule `tool-call-key-unknown`: unknown key beside arguments. */
import { defineRule, lines } from "../Rule.ts"

export const toolCallKeyUnknown = defineRule({
  code: "tool-call-key-unknown",
  family: "tool-calls",
  tier: "issue",
  severity: "error",
  title: "Unknown key beside arguments",
  why: "It may be a misplaced argument.",
  fix: "Put parameters of the tool into `arguments` and remove every other key.",
  kind: "tool-calls",
  before: lines("```json", '{ "uid": "call-1", "name": "read_file", "path": "src/main.ts", "arguments": {} }', "```"),
  after: lines("```json", '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }', "```")
})
