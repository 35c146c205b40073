/** The rule `argument-unknown`: unknown argument. */
import { defineRule, lines } from "../Rule.ts"

export const argumentUnknown = defineRule({
  code: "argument-unknown",
  family: "tool-calls",
  tier: "issue",
  severity: "error",
  title: "Unknown argument",
  why: "No parameter of the tool takes it.",
  fix: "Remove it, or use the name of a parameter.",
  kind: "run-tool-calls",
  before: lines(
    "```json",
    '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts", "encoding": "utf-8" } }',
    "```"
  ),
  after: lines("```json", '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }', "```")
})
