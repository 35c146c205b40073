/** The rule `code-block-moved`: code block moved to the task. */
import { defineRule, lines } from "../Rule.ts"

export const codeBlockMoved = defineRule({
  code: "code-block-moved",
  family: "fields",
  tier: "repair",
  severity: "note",
  title: "Code block moved to the task",
  why: "This field holds no code.",
  fix: "Put a code block after the task.",
  kind: "task",
  before: lines(
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "  ```ts",
    "  load()",
    "  ```",
    "- **Expected output** One paragraph."
  ),
  after: lines(
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph.",
    "",
    "```ts",
    "load()",
    "```"
  )
})
