/** The rule `tool-call-split`: several calls in one block. */
import { defineRule, lines } from "../Rule.ts"

export const toolCallSplit = defineRule({
  code: "tool-call-split",
  family: "tool-calls",
  tier: "repair",
  severity: "note",
  title: "Several calls in one block",
  why: "One block holds one call.",
  fix: "Write one call per code block.",
  kind: "tool-calls",
  before: lines(
    "```json",
    '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } },',
    '{ "uid": "call-2", "name": "read_file", "arguments": { "path": "src/config.ts" } }',
    "```"
  ),
  after: lines(
    "```json",
    '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }',
    "```",
    "",
    "```json",
    '{ "uid": "call-2", "name": "read_file", "arguments": { "path": "src/config.ts" } }',
    "```"
  )
})
