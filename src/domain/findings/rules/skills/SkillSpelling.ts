/** The rule `skill-spelling`: skill spelled differently. */
import { defineRule, lines } from "../Rule.ts"

export const skillSpelling = defineRule({
  code: "skill-spelling",
  family: "skills",
  tier: "repair",
  severity: "note",
  title: "Skill spelled differently",
  why: "Exactly one skill can be meant.",
  fix: "Write the name as in the catalogue.",
  kind: "project-task",
  before: lines("- **Name** A", "- **What is needed** Read the loader.", "- **Skill** read_code", "- **Expected output** One paragraph."),
  after: lines("- **Name** A", "- **What is needed** Read the loader.", "- **Skill** read-code", "- **Expected output** One paragraph.")
})
