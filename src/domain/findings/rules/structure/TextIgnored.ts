/** The rule `text-ignored`: text without a place ignored. */
import { defineRule, lines } from "../Rule.ts"

export const textIgnored = defineRule({
  code: "text-ignored",
  family: "structure",
  tier: "repair",
  severity: "warning",
  title: "Text without a place ignored",
  why: "Talk between tasks belongs to no field.",
  fix: "Put text into a field.",
  kind: "task",
  before: lines(
    "First we read.",
    "",
    "- **Name** A",
    "- **What is needed** Read the loader.",
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
