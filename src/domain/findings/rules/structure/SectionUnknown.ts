/** The rule `section-unknown`: unknown section under Tasks. */
import { defineRule, lines } from "../Rule.ts"

export const sectionUnknown = defineRule({
  code: "section-unknown",
  family: "structure",
  tier: "issue",
  severity: "error",
  title: "Unknown section under Tasks",
  why: "Tasks stand only under `### Task section N`.",
  fix: "Use only `### Task section N` under `## Tasks`, and put the text into a field of a task.",
  kind: "tasks",
  before: lines(
    "### Task section 1",
    "",
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph.",
    "",
    "#### Remarks",
    "",
    "Be careful."
  ),
  after: lines(
    "### Task section 1",
    "",
    "- **Name** A",
    "- **What is needed** Read the loader. Be careful.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph."
  )
})
