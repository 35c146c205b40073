/** The rule `tool-not-allowed`: tool not allowed for the skill. */
import { defineRule, lines } from "../Rule.ts"

export const toolNotAllowed = defineRule({
  code: "tool-not-allowed",
  family: "tool-calls",
  tier: "issue",
  severity: "error",
  title: "Tool not allowed for the skill",
  why: "A skill names the tools that it may use.",
  fix: "Use one of the tools that the skill may use.",
  kind: "run-tool-calls",
  before: lines(
    "```json",
    '{ "uid": "call-1", "name": "write_file", "arguments": { "path": "a.txt", "content": "x" } }',
    "```"
  ),
  after: lines("```json", '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }', "```")
})
