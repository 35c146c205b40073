/** The rule `answer-shape`: document does not begin. */
import { defineRule, lines } from "../Rule.ts"

export const answerShape = defineRule({
  code: "answer-shape",
  family: "answers",
  tier: "issue",
  severity: "error",
  title: "Document does not begin",
  why: "After so much talk the document would not fit any more, so the answer is stopped.",
  fix: "Begin with the first heading of the document.",
  kind: "answer",
  before: Array.from({ length: 400 }, (_, index) => `I think about point ${index + 1}.`).join("\n"),
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
