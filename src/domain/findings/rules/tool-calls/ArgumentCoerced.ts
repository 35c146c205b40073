/** The rule `argument-coerced`: text for a number or truth value. */
import { defineRule, lines } from "../Rule.ts"

export const argumentCoerced = defineRule({
  code: "argument-coerced",
  family: "tool-calls",
  tier: "repair",
  severity: "note",
  title: "Text for a number or truth value",
  why: "The text has one meaning as the kind that the parameter asks for.",
  fix: "Write numbers and truth values without quotes.",
  kind: "run-tool-calls",
  before: lines(
    "```json",
    '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts", "start_line": "1" } }',
    "```"
  ),
  after: lines(
    "```json",
    '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts", "start_line": 1 } }',
    "```"
  )
})
