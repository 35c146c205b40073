/** The rule `tool-call-extra`: key ignored. */
import { defineRule, lines } from "../Rule.ts"

export const toolCallExtra = defineRule({
  code: "tool-call-extra",
  family: "tool-calls",
  tier: "repair",
  severity: "note",
  title: "Key ignored",
  why: "A remark that no tool reads.",
  fix: "Write only `uid`, `name` and `arguments`.",
  kind: "tool-calls",
  before: lines(
    "```json",
    '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" }, "reason": "It loads." }',
    "```"
  ),
  after: lines("```json", '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }', "```")
})
