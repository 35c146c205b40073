/** The rule `reference-order`: result of the same or a later section. */
import { defineRule, lines } from "../Rule.ts"

export const referenceOrder = defineRule({
  code: "reference-order",
  family: "references",
  tier: "issue",
  severity: "error",
  title: "Result of the same or a later section",
  why: "Results exist only for strictly earlier sections.",
  fix: "Move the task into a section after the one it refers to.",
  kind: "tasks",
  before: lines(
    "### Task section 1",
    "",
    "- **Name** Research 1",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph.",
    "",
    "- **Name** Explain 1",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **References** [Research 1](#research-1-results)",
    "- **Expected output** One paragraph."
  ),
  after: lines(
    "### Task section 1",
    "",
    "- **Name** Research 1",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph.",
    "",
    "### Task section 2",
    "",
    "- **Name** Explain 1",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **References** [Research 1](#research-1-results)",
    "- **Expected output** One paragraph."
  )
})
