/** The rule `section-ignored`: section ignored. */
import { defineRule, lines } from "../Rule.ts"

export const sectionIgnored = defineRule({
  code: "section-ignored",
  family: "structure",
  tier: "repair",
  severity: "warning",
  title: "Section ignored",
  why: "No reader uses a section of this name.",
  fix: "Use the sections of the format only.",
  kind: "tasks",
  before: lines(
    "### Task section 1",
    "",
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph.",
    "",
    "## Notes",
    "",
    "That is all."
  ),
  after: lines(
    "### Task section 1",
    "",
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph."
  )
})
