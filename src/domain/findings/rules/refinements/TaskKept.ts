/** The rule `task-kept`: task kept as planned. */
import { defineRule, lines } from "../Rule.ts"

export const taskKept = defineRule({
  code: "task-kept",
  family: "refinements",
  tier: "repair",
  severity: "note",
  title: "Task kept as planned",
  why: "The answer did not repeat the task.",
  fix: "Repeat the task under `## Task`.",
  kind: "refinement",
  before: lines(
    "## Tool Calls",
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
