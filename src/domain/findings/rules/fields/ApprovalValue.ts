/** The rule `approval-value`: unusual approval value. */
import { defineRule, lines } from "../Rule.ts"

export const approvalValue = defineRule({
  code: "approval-value",
  family: "fields",
  tier: "repair",
  severity: "warning",
  title: "Unusual approval value",
  why: "Anything that is not a no asks for approval.",
  fix: "Write the label without a value, `yes` or `no`.",
  kind: "task",
  before: lines(
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph.",
    "- **Requires user approval** perhaps"
  ),
  after: lines(
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph.",
    "- **Requires user approval** yes"
  )
})
