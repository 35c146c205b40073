/** The rule `skill-too-large`: skill too large. */
import { defineRule, lines } from "../Rule.ts"

export const skillTooLarge = defineRule({
  code: "skill-too-large",
  family: "skill-format",
  tier: "issue",
  severity: "error",
  title: "Skill too large",
  why: "The format asks for less than 5000 tokens, and small windows hold no more.",
  fix: "Shorten it, or make several skills of it.",
  kind: "linted-skill",
  before: lines(
    "---",
    "name: read-code",
    "description: Reads code. Use it to explain how something works.",
    "---",
    "",
    "## Execution",
    "",
    "Say what the code does. ".repeat(850)
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
  ),
  alongside: ["skill-part-large"]
})
