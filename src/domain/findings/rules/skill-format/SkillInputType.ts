/** The rule `skill-input-type`: type of an input. */
import { defineRule, lines } from "../Rule.ts"

export const skillInputType = defineRule({
  code: "skill-input-type",
  family: "skill-format",
  tier: "issue",
  severity: "error",
  title: "Type of an input",
  why: "What looks like a typed input and is none is not filled and not checked.",
  fix: "Write text, path, url, number, yes-no, or choice of A, B, then required or optional.",
  kind: "linted-skill",
  before: lines(
    "---",
    "name: read-code",
    "description: Reads code. Use it to explain how something works.",
    "---",
    "",
    "## Input requirements",
    "",
    "- `file` (string, required): The file to read.",
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
