/** The rule `section-number`: task sections with the same number. */
import { defineRule, lines } from "../Rule.ts"

export const sectionNumber = defineRule({
  code: "section-number",
  family: "structure",
  tier: "repair",
  severity: "note",
  title: "Task sections with the same number",
  why: "Document order counts; the numbers are counted on.",
  fix: "Give every section a number of its own.",
  kind: "tasks",
  before: lines(
    "### Task section 1",
    "",
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph.",
    "",
    "### Task section 1",
    "",
    "- **Name** B",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph."
  ),
  after: lines(
    "### Task section 1",
    "",
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph.",
    "",
    "### Task section 2",
    "",
    "- **Name** B",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph."
  )
})
