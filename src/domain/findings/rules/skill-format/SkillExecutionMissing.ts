/** The rule `skill-execution-missing`: nothing to execute. */
import { defineRule, lines } from "../Rule.ts"

export const skillExecutionMissing = defineRule({
  code: "skill-execution-missing",
  family: "skill-format",
  tier: "repair",
  severity: "warning",
  title: "Nothing to execute",
  why: "The model that writes the result sees only the execution part.",
  fix: "Say under `## Execution` what the result must hold.",
  kind: "linted-skill",
  before: lines(
    "---",
    "name: read-code",
    "description: Reads code. Use it to explain how something works.",
    "---",
    "",
    "## Refinement",
    "",
    "Call `read_file`."
  ),
  after: lines(
    "---",
    "name: read-code",
    "description: Reads code. Use it to explain how something works.",
    "---",
    "",
    "## Refinement",
    "",
    "Call `read_file`.",
    "",
    "## Execution",
    "",
    "Say what the code does."
  )
})
