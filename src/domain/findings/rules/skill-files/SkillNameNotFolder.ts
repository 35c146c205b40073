/** The rule `skill-name-not-folder`: name is not the folder. */
import { defineRule, lines } from "../Rule.ts"

export const skillNameNotFolder = defineRule({
  code: "skill-name-not-folder",
  family: "skill-files",
  tier: "issue",
  severity: "error",
  title: "Name is not the folder",
  why: "A skill is found by its folder.",
  fix: "Rename one of them.",
  kind: "skill-file",
  before: lines(
    "---",
    "name: code-reading",
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
