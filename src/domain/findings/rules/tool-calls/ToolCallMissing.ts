/** The rule `tool-call-missing`: nothing to work on. */
import { defineRule, lines } from "../Rule.ts"

export const toolCallMissing = defineRule({
  code: "tool-call-missing",
  family: "tool-calls",
  tier: "issue",
  severity: "error",
  title: "Nothing to work on",
  why: "A task without call and reference has nothing to work on.",
  fix: "Add at least one tool call under `## Tool Calls`.",
  kind: "run-tool-calls",
  before: "",
  after: lines("```json", '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }', "```")
})
