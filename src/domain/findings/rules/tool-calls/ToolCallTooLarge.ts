/** The rule `tool-call-too-large`: tool call too large. */
import { defineRule, lines } from "../Rule.ts"

export const toolCallTooLarge = defineRule({
  code: "tool-call-too-large",
  family: "tool-calls",
  tier: "issue",
  severity: "error",
  title: "Tool call too large",
  why: "A call above the cap is not parsed.",
  fix: "Make the arguments smaller.",
  kind: "tool-calls",
  before: lines(
    "```json",
    `{ "uid": "call-1", "name": "write_file", "arguments": { "path": "a", "content": "${"x".repeat(1_048_576)}" } }`,
    "```"
  ),
  after: lines(
    "```json",
    '{ "uid": "call-1", "name": "write_file", "arguments": { "path": "a", "content": "x" } }',
    "```"
  )
})
