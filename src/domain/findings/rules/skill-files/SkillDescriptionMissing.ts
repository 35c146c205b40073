/** The rule `skill-description-missing`: skill without description. */
import { defineRule, lines } from "../Rule.ts"

export const skillDescriptionMissing = defineRule({
  code: "skill-description-missing",
  family: "skill-files",
  tier: "issue",
  severity: "error",
  title: "Skill without description",
  why: "The planner chooses skills by their descriptions.",
  fix: "Say in one or two sentences what it does and when to use it.",
  kind: "skill-file",
  before: lines("---", "name: read-code", "---", "", "## Execution", "", "Say what the code does."),
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
