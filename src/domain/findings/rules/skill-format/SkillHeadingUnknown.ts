/** The rule `skill-heading-unknown`: unknown heading. */
import { defineRule, lines } from "../Rule.ts"

export const skillHeadingUnknown = defineRule({
  code: "skill-heading-unknown",
  family: "skill-format",
  tier: "repair",
  severity: "warning",
  title: "Unknown heading",
  why: "Beside our headings, text under another one is not sent to the model.",
  fix: "Put the text under `## Input requirements`, `## Refinement` or `## Execution`.",
  kind: "linted-skill",
  before: lines(
    "---",
    "name: read-code",
    "description: Reads code. Use it to explain how something works.",
    "---",
    "",
    "## Execution",
    "",
    "Say what the code does.",
    "",
    "## Examples",
    "",
    "None."
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
