/** The rule `tool-unknown`: unknown tool. */
import { defineRule, lines } from "../Rule.ts"

export const toolUnknown = defineRule({
  code: "tool-unknown",
  family: "tool-calls",
  tier: "issue",
  severity: "error",
  title: "Unknown tool",
  why: "Only tools of the run can be called.",
  fix: "Use one of the tools that the skill may use.",
  kind: "run-tool-calls",
  before: lines("```json", '{ "uid": "call-1", "name": "open_file", "arguments": { "path": "src/main.ts" } }', "```"),
  after: lines("```json", '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }', "```")
})
