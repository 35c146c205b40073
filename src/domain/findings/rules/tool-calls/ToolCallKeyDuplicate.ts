/** The rule `tool-call-key-duplicate`: key given twice. */
import { defineRule, lines } from "../Rule.ts"

export const toolCallKeyDuplicate = defineRule({
  code: "tool-call-key-duplicate",
  family: "tool-calls",
  tier: "issue",
  severity: "error",
  title: "Key given twice",
  why: "Only one of the values can be meant.",
  fix: "Keep one of the keys.",
  kind: "tool-calls",
  before: lines(
    "```json",
    '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "a.ts", "path": "src/main.ts" } }',
    "```"
  ),
  after: lines("```json", '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }', "```")
})
