/** The rule `task-several`: more than one task. */
import { defineRule, lines } from "../Rule.ts"

export const taskSeveral = defineRule({
  code: "task-several",
  family: "structure",
  tier: "issue",
  severity: "error",
  title: "More than one task",
  why: "A refinement is about one task.",
  fix: "Write the one task that is to be refined.",
  kind: "refinement",
  before: lines(
    "## Task",
    "",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph.",
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
