/** The rule `text-attached`: text attached to the field before it. */
import { defineRule, lines } from "../Rule.ts"

export const textAttached = defineRule({
  code: "text-attached",
  family: "structure",
  tier: "repair",
  severity: "warning",
  title: "Text attached to the field before it",
  why: "It lacked the indentation that makes it a part.",
  fix: "Indent every line of a field by two spaces.",
  kind: "task",
  before: lines(
    "- **Name** A",
    "- **What is needed** Read these:",
    "- the loader",
    "- the defaults",
    "- **Skill** read-code",
    "- **Expected output** One paragraph."
  ),
  after: lines(
    "- **Name** A",
    "- **What is needed** Read these:",
    "  - the loader",
    "  - the defaults",
    "- **Skill** read-code",
    "- **Expected output** One paragraph."
  )
})
