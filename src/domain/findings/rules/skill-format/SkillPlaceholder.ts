/** The rule `skill-placeholder`: placeholder text. */
import { defineRule, lines } from "../Rule.ts"

export const skillPlaceholder = defineRule({
  code: "skill-placeholder",
  family: "skill-format",
  tier: "issue",
  severity: "error",
  title: "Placeholder text",
  why: "A model copies or obeys what was meant for the author.",
  fix: "Write the text, or leave the line out.",
  kind: "linted-skill",
  before: lines(
    "---",
    "name: read-code",
    "description: Reads code. Use it to explain how something works.",
    "---",
    "",
    "## Execution",
    "",
    "TODO: say what the result must hold."
  ),
  after: lines(
    "---",
    "name: read-code",
    "description: Reads code. Use it to explain how something works.",
    "---",
    "",
    "## Execution",
    "",
    "Say what the code does."
  )
})
