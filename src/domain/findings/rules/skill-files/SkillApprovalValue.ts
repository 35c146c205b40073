/** The rule `skill-approval-value`: approval is neither true nor false. */
import { defineRule, lines } from "../Rule.ts"

export const skillApprovalValue = defineRule({
  code: "skill-approval-value",
  family: "skill-files",
  tier: "repair",
  severity: "warning",
  title: "Approval is neither true nor false",
  why: "Whatever is not a clear no asks for approval.",
  fix: 'Write `task-conductor.requires-approval: "true"`, or leave the line out.',
  kind: "skill-file",
  before: lines(
    "---",
    "name: read-code",
    "description: Reads code. Use it to explain how something works.",
    "metadata:",
    '  task-conductor.requires-approval: "always"',
    "---",
    "",
    "## Execution",
    "",
    "Say what the code does."
  ),
  after: lines(
    "---",
    "name: read-code",
    "description: Reads code. Use it to explain how something works.",
    "metadata:",
    '  task-conductor.requires-approval: "true"',
    "---",
    "",
    "## Execution",
    "",
    "Say what the code does."
  )
})
