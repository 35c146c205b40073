/** The rule `tool-call-repeated`: same call repeated. */
import { defineRule, lines } from "../Rule.ts"

export const toolCallRepeated = defineRule({
  code: "tool-call-repeated",
  family: "tool-calls",
  tier: "issue",
  severity: "error",
  title: "Same call repeated",
  why: "The same call again gives nothing new.",
  fix: "Make each call once.",
  kind: "run-tool-calls",
  before: lines(
    "```json",
    '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }',
    "```",
    "",
    "```json",
    '{ "uid": "call-2", "name": "read_file", "arguments": { "path": "src/main.ts" } }',
    "```",
    "",
    "```json",
    '{ "uid": "call-3", "name": "read_file", "arguments": { "path": "src/main.ts" } }',
    "```"
  ),
  after: lines("```json", '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }', "```")
})
