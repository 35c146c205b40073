/** The rule `skill-name-missing`: skill without name. */
import { defineRule, lines } from "../Rule.ts"

export const skillNameMissing = defineRule({
  code: "skill-name-missing",
  family: "skill-files",
  tier: "issue",
  severity: "error",
  title: "Skill without name",
  why: "Tasks name their skill.",
  fix: "Add the line `name:` with the name of the folder.",
  kind: "skill-file",
  before: lines(
    "---",
    "description: Reads code. Use it to explain how something works.",
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
