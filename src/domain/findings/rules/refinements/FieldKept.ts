/** The rule `field-kept`: field kept as planned. */
import { defineRule, lines } from "../Rule.ts"

export const fieldKept = defineRule({
  code: "field-kept",
  family: "refinements",
  tier: "repair",
  severity: "note",
  title: "Field kept as planned",
  why: "The answer left the field out.",
  fix: "Repeat every field of the task.",
  kind: "refinement",
  before: lines(
    "## Task",
    "",
    "- **What is needed** Read the loader.",
    "- **Skill** read-code",
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
