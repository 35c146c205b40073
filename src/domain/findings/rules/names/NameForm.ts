/** The rule `name-form`: marks around a name. */
import { defineRule, lines } from "../Rule.ts"

export const nameForm = defineRule({
  code: "name-form",
  family: "names",
  tier: "repair",
  severity: "note",
  title: "Marks around a name",
  why: "A name is plain text.",
  fix: "Write the name as plain text.",
  kind: "task",
  before: lines(
    "- **Name** **A**",
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
