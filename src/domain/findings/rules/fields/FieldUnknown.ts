/** The rule `field-unknown`: unknown field. */
import { defineRule, lines } from "../Rule.ts"

export const fieldUnknown = defineRule({
  code: "field-unknown",
  family: "fields",
  tier: "issue",
  severity: "error",
  title: "Unknown field",
  why: "Nothing reads it, so its content would be lost.",
  fix: "Use only the fields of the format; put other text into *What is needed*.",
  kind: "task",
  before: lines(
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Priority** high",
    "- **Expected output** One paragraph."
  ),
  after: lines(
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph."
  )
})
