/** The rule `tool-call-number`: number out of range. */
import { defineRule, lines } from "../Rule.ts"

export const toolCallNumber = defineRule({
  code: "tool-call-number",
  family: "tool-calls",
  tier: "issue",
  severity: "error",
  title: "Number out of range",
  why: "It would be changed by reading it.",
  fix: "Write a smaller number, or a string.",
  kind: "tool-calls",
  before: lines(
    "```json",
    '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts", "line": 12345678901234567890 } }',
    "```"
  ),
  after: lines("```json", '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }', "```")
})
