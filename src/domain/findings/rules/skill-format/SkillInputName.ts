/** The rule `skill-input-name`: name of an input. */
import { defineRule, lines } from "../Rule.ts"

export const skillInputName = defineRule({
  code: "skill-input-name",
  family: "skill-format",
  tier: "issue",
  severity: "error",
  title: "Name of an input",
  why: "An input is found by its name in the answer of a model.",
  fix: "Use at most 40 lower-case letters, digits and hyphens, each name once.",
  kind: "linted-skill",
  before: lines(
    "---",
    "name: read-code",
    "description: Reads code. Use it to explain how something works.",
    "---",
    "",
    "## Input requirements",
    "",
    "- `The File` (path, required): The file to read.",
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
    "## Input requirements",
    "",
    "- `file` (path, required): The file to read.",
    "",
    "## Execution",
    "",
    "Say what the code does."
  )
})
