/** The rule `answer-cut-off`: answer cut off. */
import { defineRule, lines } from "../Rule.ts"

export const answerCutOff = defineRule({
  code: "answer-cut-off",
  family: "answers",
  tier: "issue",
  severity: "error",
  title: "Answer cut off",
  why: "It ran into the length limit, and what is missing cannot be guessed.",
  fix: "Answer shorter.",
  kind: "cut-answer",
  before: lines(
    "## Task",
    "",
    "- **What is needed** Read the loader, then everything that it loads, then everything that it loads, then everything that it loads, then everything that it loads, then everything that it loads, then everything that it loads, then everything that it loads, then everything that it loads, then everything that it loads, then everything that it loads, then everything that it loads, then everything that it loads, and explain it.",
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
