/** The rule `answer-loop`: answer repeats itself. */
import { defineRule, lines } from "../Rule.ts"

export const answerLoop = defineRule({
  code: "answer-loop",
  family: "answers",
  tier: "issue",
  severity: "error",
  title: "Answer repeats itself",
  why: "A model in a loop does not come out of it, so the answer is stopped.",
  fix: "Write everything once, and stop.",
  kind: "answer",
  before: `## Task\n\n${"The loader reads the file and returns what it holds. ".repeat(100)}`,
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
