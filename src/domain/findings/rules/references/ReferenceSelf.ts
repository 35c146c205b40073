/** The rule `reference-self`: task refers to its own result. */
import { defineRule, lines } from "../Rule.ts"

export const referenceSelf = defineRule({
  code: "reference-self",
  family: "references",
  tier: "issue",
  severity: "error",
  title: "Task refers to its own result",
  why: "The result does not exist while the task runs.",
  fix: "Remove the reference.",
  kind: "task",
  before: lines(
    "- **Name** Research 1",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **References** [Research 1](#research-1-results)",
    "- **Expected output** One paragraph."
  ),
  after: lines(
    "- **Name** Research 1",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph."
  )
})
