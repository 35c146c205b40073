/** The rule `front-matter-unquoted`: value with a colon not quoted. */
import { defineRule, lines } from "../Rule.ts"

export const frontMatterUnquoted = defineRule({
  code: "front-matter-unquoted",
  family: "skill-files",
  tier: "repair",
  severity: "note",
  title: "Value with a colon not quoted",
  why: "Many skills are written like this, and one reading is possible.",
  fix: "Put a value that holds a colon into quotes.",
  kind: "skill-file",
  before: lines(
    "---",
    "name: read-code",
    "description: Reads code: explains how something works.",
    "---",
    "",
    "## Execution",
    "",
    "Say what the code does."
  ),
  after: lines(
    "---",
    "name: read-code",
    'description: "Reads code: explains how something works."',
    "---",
    "",
    "## Execution",
    "",
    "Say what the code does."
  )
})
