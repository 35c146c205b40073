/** The rule `field-label`: label in another form. */
import { defineRule, lines } from "../Rule.ts"

export const fieldLabel = defineRule({
  code: "field-label",
  family: "fields",
  tier: "repair",
  severity: "note",
  title: "Label in another form",
  why: "Colon, missing bold, missing list marker, numbered list.",
  fix: "Write `- **Label** value`.",
  kind: "task",
  before: lines(
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- Skill: read-code",
    "- **Expected output** One paragraph."
  ),
  after: lines(
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph."
  )
})
