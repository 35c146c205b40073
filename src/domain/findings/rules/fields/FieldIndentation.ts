/** The rule `field-indentation`: field on another level. */
import { defineRule, lines } from "../Rule.ts"

export const fieldIndentation = defineRule({
  code: "field-indentation",
  family: "fields",
  tier: "repair",
  severity: "note",
  title: "Field on another level",
  why: "The indentation differs from the other fields.",
  fix: "Begin all fields of a task in one column.",
  kind: "task",
  before: lines(
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "  - **Expected output** One paragraph."
  ),
  after: lines(
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph."
  )
})
