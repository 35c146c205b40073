/** The rule `tool-call-unfenced`: tool call without a fence. */
import { defineRule, lines } from "../Rule.ts"

export const toolCallUnfenced = defineRule({
  code: "tool-call-unfenced",
  family: "tool-calls",
  tier: "repair",
  severity: "note",
  title: "Tool call without a fence",
  why: "It stood as plain text.",
  fix: "Put each call into a code block of its own.",
  kind: "tool-calls",
  before: '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }',
  after: lines("```json", '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }', "```")
})
