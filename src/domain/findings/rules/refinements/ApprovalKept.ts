/** The rule `approval-kept`: approval kept. */
import { defineRule, lines } from "../Rule.ts"

export const approvalKept = defineRule({
  code: "approval-kept",
  family: "refinements",
  tier: "repair",
  severity: "warning",
  title: "Approval kept",
  why: "A gate can be added, never removed.",
  fix: "Leave the approval as it is.",
  kind: "refinement",
  before: lines(
    "## Task",
    "",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph.",
    "- **Requires user approval** no",
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
