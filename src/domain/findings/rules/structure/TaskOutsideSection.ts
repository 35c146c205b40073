/** The rule `task-outside-section`: task outside a task section. */
import { defineRule, lines } from "../Rule.ts"

export const taskOutsideSection = defineRule({
  code: "task-outside-section",
  family: "structure",
  tier: "issue",
  severity: "error",
  title: "Task outside a task section",
  why: "Order and parallelism come from the sections.",
  fix: "Put every task into a section `### Task section N`.",
  kind: "tasks",
  before: lines(
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph."
  ),
  after: lines(
    "### Task section 1",
    "",
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph."
  )
})
