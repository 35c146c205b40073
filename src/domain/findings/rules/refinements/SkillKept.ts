/** The rule `skill-kept`: skill kept. */
import { defineRule, lines } from "../Rule.ts"

export const skillKept = defineRule({
  code: "skill-kept",
  family: "refinements",
  tier: "repair",
  severity: "note",
  title: "Skill kept",
  why: "Skills are given by the plan.",
  fix: "Leave the skill as it is.",
  kind: "refinement",
  before: lines(
    "## Task",
    "",
    "- **What is needed** Read the loader.",
    "- **Skill** edit-files",
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
