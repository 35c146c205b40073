/** The rule `skill-tool-unknown`: unknown tool. */
import { defineRule, lines } from "../Rule.ts"

export const skillToolUnknown = defineRule({
  code: "skill-tool-unknown",
  family: "skill-format",
  tier: "repair",
  severity: "warning",
  title: "Unknown tool",
  why: "A tool that is not there cannot be called; without any of its tools a skill is not offered.",
  fix: "Name tools as `task-conductor tools list` shows them.",
  kind: "linted-skill",
  before: lines(
    "---",
    "name: read-code",
    "description: Reads code. Use it to explain how something works.",
    "allowed-tools: read_file search_fils",
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
    "allowed-tools: read_file search_files",
    "---",
    "",
    "## Execution",
    "",
    "Say what the code does."
  )
})
