/** The rule `skill-not-text`: skill file is not text. */
import { defineRule, lines } from "../Rule.ts"

export const skillNotText = defineRule({
  code: "skill-not-text",
  family: "skill-files",
  tier: "issue",
  severity: "error",
  title: "Skill file is not text",
  why: "Only UTF-8 can be read.",
  fix: "Save the file as UTF-8.",
  kind: "skill-file",
  before: `${"\0".repeat(4)}`,
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
