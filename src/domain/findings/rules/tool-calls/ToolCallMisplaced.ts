/** The rule `tool-call-misplaced`: tool call outside Tool Calls. */
import { defineRule, lines } from "../Rule.ts"

export const toolCallMisplaced = defineRule({
  code: "tool-call-misplaced",
  family: "tool-calls",
  tier: "issue",
  severity: "error",
  title: "Tool call outside Tool Calls",
  why: "Blocks under Task stay with the task and never run.",
  fix: "Put every call under the heading `## Tool Calls`.",
  kind: "refinement",
  before: lines(
    "## Task",
    "",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph.",
    "",
    "```json",
    '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }',
    "```"
  ),
  after: lines(
    "## Task",
    "",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph.",
    "",
    "## Tool Calls",
    "",
    "```json",
    '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }',
    "```"
  )
})
