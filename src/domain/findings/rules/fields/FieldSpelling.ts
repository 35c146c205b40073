/** The rule `field-spelling`: label spelled differently. */
import { defineRule, lines } from "../Rule.ts"

export const fieldSpelling = defineRule({
  code: "field-spelling",
  family: "fields",
  tier: "repair",
  severity: "note",
  title: "Label spelled differently",
  why: "Exactly one label can be meant.",
  fix: "Use the words of the format.",
  kind: "task",
  before: lines(
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **skill** read-code",
    "- **Expected output** One paragraph."
  ),
  after: lines(
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph."
  )
})
