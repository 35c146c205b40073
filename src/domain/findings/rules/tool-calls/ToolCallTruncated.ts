/** The rule `tool-call-truncated`: tool call breaks off. */
import { defineRule, lines } from "../Rule.ts"

export const toolCallTruncated = defineRule({
  code: "tool-call-truncated",
  family: "tool-calls",
  tier: "issue",
  severity: "error",
  title: "Tool call breaks off",
  why: "Closing what broke off would invent arguments.",
  fix: "Write the whole JSON object, with all closing quotes and braces.",
  kind: "tool-calls",
  before: lines("```json", '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/ma', "```"),
  after: lines("```json", '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }', "```")
})
