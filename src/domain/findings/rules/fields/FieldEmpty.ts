/** The rule `field-empty`: required field empty. */
import { defineRule, lines } from "../Rule.ts"

export const fieldEmpty = defineRule({
  code: "field-empty",
  family: "fields",
  tier: "issue",
  severity: "error",
  title: "Required field empty",
  why: "The field has no default.",
  fix: "Write the value after the label.",
  kind: "task",
  before: lines(
    "- **Name** A",
    "- **What is needed**",
    "- **Skill** read-code",
    "- **Expected output** One paragraph."
  ),
  after: lines(
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph."
  )
})
