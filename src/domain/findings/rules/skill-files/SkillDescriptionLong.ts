/** The rule `skill-description-long`: description too long. */
import { defineRule, lines } from "../Rule.ts"

export const skillDescriptionLong = defineRule({
  code: "skill-description-long",
  family: "skill-files",
  tier: "repair",
  severity: "warning",
  title: "Description too long",
  why: "Every prompt of the planner holds it.",
  fix: "Use at most 1024 characters.",
  kind: "skill-file",
  before: [
    "---",
    "name: read-code",
    `description: ${"Reads code. ".repeat(100)}`,
    "---",
    "",
    "## Execution",
    "",
    "Say what the code does."
  ].join("\n"),
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
