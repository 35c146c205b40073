/** The rule `name-from-heading`: name taken from the heading. */
import { defineRule, lines } from "../Rule.ts"

export const nameFromHeading = defineRule({
  code: "name-from-heading",
  family: "names",
  tier: "repair",
  severity: "note",
  title: "Name taken from the heading",
  why: "The heading of the task names it.",
  fix: "Write the name into the field *Name*.",
  kind: "task",
  before: lines(
    "#### A",
    "",
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
