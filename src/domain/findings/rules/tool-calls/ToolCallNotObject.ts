/** The rule `tool-call-not-object`: tool call is not an object. */
import { defineRule, lines } from "../Rule.ts"

export const toolCallNotObject = defineRule({
  code: "tool-call-not-object",
  family: "tool-calls",
  tier: "issue",
  severity: "error",
  title: "Tool call is not an object",
  why: "A call is one JSON object.",
  fix: "Write one JSON object.",
  kind: "tool-calls",
  before: lines("```json", '"read_file"', "```"),
  after: lines("```json", '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }', "```")
})
