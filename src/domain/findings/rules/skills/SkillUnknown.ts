/** The rule `skill-unknown`: unknown skill. */
import { defineRule, lines } from "../Rule.ts"

export const skillUnknown = defineRule({
  code: "skill-unknown",
  family: "skills",
  tier: "issue",
  severity: "error",
  title: "Unknown skill",
  why: "A task runs by the text of its skill.",
  fix: "Use a skill of the catalogue.",
  kind: "project-task",
  before: lines("- **Name** A", "- **What is needed** Read the loader.", "- **Skill** guess", "- **Expected output** One paragraph."),
  after: lines("- **Name** A", "- **What is needed** Read the loader.", "- **Skill** read-code", "- **Expected output** One paragraph.")
})
