/** The rule `argument-dropped`: null for an optional argument. */
import { defineRule, lines } from "../Rule.ts"

export const argumentDropped = defineRule({
  code: "argument-dropped",
  family: "tool-calls",
  tier: "repair",
  severity: "note",
  title: "Null for an optional argument",
  why: "It says the same as leaving the argument out.",
  fix: "Leave the argument out.",
  kind: "run-tool-calls",
  before: lines(
    "```json",
    '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts", "start_line": null } }',
    "```"
  ),
  after: lines("```json", '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }', "```")
})
