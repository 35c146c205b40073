/** The rule `skill-description-when`: description does not say when. */
import { defineRule, lines } from "../Rule.ts"

export const skillDescriptionWhen = defineRule({
  code: "skill-description-when",
  family: "skill-format",
  tier: "repair",
  severity: "warning",
  title: "Description does not say when",
  why: "The planner sees the description alone and chooses by it.",
  fix: "Add a sentence such as `Use it when ...`.",
  kind: "linted-skill",
  before: lines(
    "---",
    "name: read-code",
    "description: Reads code.",
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
    "---",
    "",
    "## Execution",
    "",
    "Say what the code does."
  )
})
