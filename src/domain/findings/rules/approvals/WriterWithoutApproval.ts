/** The rule `writer-without-approval`: writer without approval. */
import { defineRule, lines } from "../Rule.ts"

export const writerWithoutApproval = defineRule({
  code: "writer-without-approval",
  family: "approvals",
  tier: "repair",
  severity: "note",
  title: "Writer without approval",
  why: "The host computes the gate: what may change something is asked about, whatever the list says.",
  fix: "Add `- **Requires user approval**`; the host asks all the same.",
  kind: "project-task",
  before: lines(
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** edit-files",
    "- **Expected output** One paragraph."
  ),
  after: lines(
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** edit-files",
    "- **Expected output** One paragraph.",
    "- **Requires user approval**"
  )
})
