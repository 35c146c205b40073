/** The rule `tool-call-name`: tool call without name. */
import { defineRule, lines } from "../Rule.ts"

export const toolCallName = defineRule({
  code: "tool-call-name",
  family: "tool-calls",
  tier: "issue",
  severity: "error",
  title: "Tool call without name",
  why: "Nothing says which tool is meant.",
  fix: "Write the name of the tool under `name`.",
  kind: "tool-calls",
  before: lines("```json", '{ "uid": "call-1", "arguments": { "path": "src/main.ts" } }', "```"),
  after: lines("```json", '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }', "```")
})
