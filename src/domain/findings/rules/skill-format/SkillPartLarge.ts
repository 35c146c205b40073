/** The rule `skill-part-large`: large part. */
import { defineRule, lines } from "../Rule.ts"

export const skillPartLarge = defineRule({
  code: "skill-part-large",
  family: "skill-format",
  tier: "repair",
  severity: "warning",
  title: "Large part",
  why: "Every word of a part takes room from the work in a small context window.",
  fix: "Keep a part below 1000 tokens, or make two skills of it.",
  kind: "linted-skill",
  before: lines(
    "---",
    "name: read-code",
    "description: Reads code. Use it to explain how something works.",
    "---",
    "",
    "## Execution",
    "",
    "Say what the code does. ".repeat(180)
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
