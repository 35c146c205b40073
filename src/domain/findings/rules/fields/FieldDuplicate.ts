/** The rule `field-duplicate`: field given twice. */
import { defineRule, lines } from "../Rule.ts"

export const fieldDuplicate = defineRule({
  code: "field-duplicate",
  family: "fields",
  tier: "issue",
  severity: "error",
  title: "Field given twice",
  why: "Only one of them can be meant.",
  fix: "Keep one of them, or start a new task.",
  kind: "task",
  before: lines(
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Skill** search-code",
    "- **Expected output** One paragraph."
  ),
  after: lines(
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph."
  )
})
