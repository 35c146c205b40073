/** The rule `answer-empty`: empty answer. */
import { defineRule, lines } from "../Rule.ts"

export const answerEmpty = defineRule({
  code: "answer-empty",
  family: "answers",
  tier: "issue",
  severity: "error",
  title: "Empty answer",
  why: "There is nothing to read.",
  fix: "Write the document that is asked for.",
  kind: "answer",
  before: "",
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
