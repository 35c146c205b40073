/** The rule `skill-tools-form`: tools in another form. */
import { defineRule, lines } from "../Rule.ts"

export const skillToolsForm = defineRule({
  code: "skill-tools-form",
  family: "skill-files",
  tier: "repair",
  severity: "note",
  title: "Tools in another form",
  why: "The tools stand in one line, separated by blanks.",
  fix: "Write `allowed-tools: read_file search_files`.",
  kind: "skill-file",
  before: lines(
    "---",
    "name: read-code",
    "description: Reads code. Use it to explain how something works.",
    "allowed-tools: read_file, search_files",
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
