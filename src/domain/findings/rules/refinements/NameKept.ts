/** The rule `name-kept`: name kept. */
import { defineRule, lines } from "../Rule.ts"

export const nameKept = defineRule({
  code: "name-kept",
  family: "refinements",
  tier: "repair",
  severity: "note",
  title: "Name kept",
  why: "Names are given by the plan.",
  fix: "Leave the name as it is.",
  kind: "refinement",
  before: lines(
    "## Task",
    "",
    "- **Name** Loader",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph.",
    "",
    "## Tool Calls",
    "",
    "```json",
    '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }',
    "```"
  ),
  after: lines(
    "## Task",
    "",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
    "- **Expected output** One paragraph.",
    "",
    "## Tool Calls",
    "",
    "```json",
    '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }',
    "```"
  )
})
