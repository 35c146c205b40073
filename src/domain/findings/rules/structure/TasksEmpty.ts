/** The rule `tasks-empty`: no task in the list. */
import { defineRule, lines } from "../Rule.ts"

export const tasksEmpty = defineRule({
  code: "tasks-empty",
  family: "structure",
  tier: "issue",
  severity: "error",
  title: "No task in the list",
  why: "A first plan needs at least one task.",
  fix: "Write `### Task section 1` with at least one task.",
  kind: "tasks",
  before: "",
  after: lines(
    "### Task section 1",
    "",
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph."
  )
})
