/** The rule `fence-ignored`: stray fence ignored. */
import { defineRule, lines } from "../Rule.ts"

export const fenceIgnored = defineRule({
  code: "fence-ignored",
  family: "surroundings",
  tier: "repair",
  severity: "warning",
  title: "Stray fence ignored",
  why: "A fence in the copied prompt would have swallowed the document.",
  fix: "Close every code block.",
  kind: "task-list",
  before: lines(
    "## Original prompt",
    "",
    "Explain this:",
    "```ts",
    "load()",
    "",
    "## Goals / summary",
    "",
    "Explain it.",
    "",
    "## Tasks",
    "",
    "### Task section 1",
    "",
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph."
  ),
  after: lines(
    "## Original prompt",
    "",
    "Explain this:",
    "```ts",
    "load()",
    "```",
    "",
    "## Goals / summary",
    "",
    "Explain it.",
    "",
    "## Tasks",
    "",
    "### Task section 1",
    "",
    "- **Name** A",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph."
  )
})
