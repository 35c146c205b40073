/** The rule `skill-form`: marks around a skill. */
import { defineRule, lines } from "../Rule.ts"

export const skillForm = defineRule({
  code: "skill-form",
  family: "skills",
  tier: "repair",
  severity: "note",
  title: "Marks around a skill",
  why: "A skill's name is plain text.",
  fix: "Write the skill as plain text.",
  kind: "task",
  before: lines("- **Name** A", "- **What is needed** Read the loader.", "- **Skill** `read-code`", "- **Expected output** One paragraph."),
  after: lines("- **Name** A", "- **What is needed** Read the loader.", "- **Skill** read-code", "- **Expected output** One paragraph.")
})
