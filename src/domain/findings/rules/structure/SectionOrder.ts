/** The rule `section-order`: task sections out of order. */
import { defineRule, lines } from "../Rule.ts"

export const sectionOrder = defineRule({
  code: "section-order",
  family: "structure",
  tier: "issue",
  severity: "error",
  title: "Task sections out of order",
  why: "Sections run in document order; falling numbers contradict it.",
  fix: "Number the sections in the order in which they run.",
  kind: "tasks",
  before: lines(
    "### Task section 2",
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
