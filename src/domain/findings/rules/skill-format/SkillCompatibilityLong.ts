/** The rule `skill-compatibility-long`: long compatibility note. */
import { defineRule, lines } from "../Rule.ts"

export const skillCompatibilityLong = defineRule({
  code: "skill-compatibility-long",
  family: "skill-format",
  tier: "issue",
  severity: "error",
  title: "Long compatibility note",
  why: "The format allows 500 characters.",
  fix: "Say in a sentence what the skill needs.",
  kind: "linted-skill",
  before: lines(
    "---",
    "name: read-code",
    "description: Reads code. Use it to explain how something works.",
    `compatibility: ${"Needs git. ".repeat(50)}`,
    "---",
    "",
    "## Execution",
    "",
    "Say what the code does."
  ),
  after: lines(
    "---",
    "name: read-code",
    "description: Reads code. Use it to explain how something works.",
    "compatibility: Needs git.",
    "---",
    "",
    "## Execution",
    "",
    "Say what the code does."
  )
})
