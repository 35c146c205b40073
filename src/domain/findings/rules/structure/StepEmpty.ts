/** The rule `step-empty`: task section without a task. */
import { defineRule, lines } from "../Rule.ts"

export const stepEmpty = defineRule({
  code: "step-empty",
  family: "structure",
  tier: "issue",
  severity: "error",
  title: "Task section without a task",
  why: "A section is a step, and a step needs work.",
  fix: "Add a task, or remove the section.",
  kind: "tasks",
  before: lines(
    "### Task section 1",
    "",
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph.",
    "",
    "### Task section 2"
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
