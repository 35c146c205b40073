/** The rule `section-unwrapped`: tasks in a fence. */
import { defineRule, lines } from "../Rule.ts"

export const sectionUnwrapped = defineRule({
  code: "section-unwrapped",
  family: "structure",
  tier: "repair",
  severity: "note",
  title: "Tasks in a fence",
  why: "The tasks of a section stood in one code block.",
  fix: "Write tasks outside of code blocks.",
  kind: "task",
  before: lines(
    "```",
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph.",
    "```"
  ),
  after: lines(
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph."
  )
})
