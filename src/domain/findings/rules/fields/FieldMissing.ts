/** The rule `field-missing`: required field missing. */
import { defineRule, lines } from "../Rule.ts"

export const fieldMissing = defineRule({
  code: "field-missing",
  family: "fields",
  tier: "issue",
  severity: "error",
  title: "Required field missing",
  why: "The field has no default.",
  fix: "Add the field.",
  kind: "task",
  before: lines("- **Name** A", "- **What is needed** Read the loader.", "- **Expected output** One paragraph."),
  after: lines(
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph."
  )
})
