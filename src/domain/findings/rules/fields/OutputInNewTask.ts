/** The rule `output-in-new-task`: output in a new task. */
import { defineRule, lines } from "../Rule.ts"

export const outputInNewTask = defineRule({
  code: "output-in-new-task",
  family: "fields",
  tier: "issue",
  severity: "error",
  title: "Output in a new task",
  why: "Only finished tasks have an output.",
  fix: "Remove *Output*; say under *Expected output* what the result must contain.",
  kind: "task",
  before: lines(
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph.",
    "- **Output** It is in `src/config.ts`."
  ),
  after: lines(
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph."
  )
})
