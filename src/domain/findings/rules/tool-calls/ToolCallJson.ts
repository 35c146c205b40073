/** The rule `tool-call-json`: tool call is not JSON. */
import { defineRule, lines } from "../Rule.ts"

export const toolCallJson = defineRule({
  code: "tool-call-json",
  family: "tool-calls",
  tier: "issue",
  severity: "error",
  title: "Tool call is not JSON",
  why: "What cannot be read is never guessed.",
  fix: "Write one JSON object with double quotes.",
  kind: "tool-calls",
  before: lines("```json", "read_file src/main.ts", "```"),
  after: lines("```json", '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }', "```")
})
