/** The rule `skill-metadata-form`: setting without quotes. */
import { defineRule, lines } from "../Rule.ts"

export const skillMetadataForm = defineRule({
  code: "skill-metadata-form",
  family: "skill-files",
  tier: "repair",
  severity: "note",
  title: "Setting without quotes",
  why: "Metadata holds strings.",
  fix: "Put the value into quotes.",
  kind: "skill-file",
  before: lines(
    "---",
    "name: read-code",
    "description: Reads code. Use it to explain how something works.",
    "metadata:",
    "  task-conductor.requires-approval: true",
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
    "metadata:",
    '  task-conductor.requires-approval: "true"',
    "---",
    "",
    "## Execution",
    "",
    "Say what the code does."
  )
})
