/** The rule `skill-heading-form`: heading of a part in another form. */
import { defineRule, lines } from "../Rule.ts"

export const skillHeadingForm = defineRule({
  code: "skill-heading-form",
  family: "skill-files",
  tier: "repair",
  severity: "note",
  title: "Heading of a part in another form",
  why: "The parts of a skill are found by their headings.",
  fix: "Write `## Input requirements`, `## Refinement`, `## Execution`.",
  kind: "skill-file",
  before: lines(
    "---",
    "name: read-code",
    "description: Reads code. Use it to explain how something works.",
    "---",
    "",
    "### execution",
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
