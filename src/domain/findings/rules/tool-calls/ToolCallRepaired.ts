/** The rule `tool-call-repaired`: JSON mended. */
import { defineRule, lines } from "../Rule.ts"

export const toolCallRepaired = defineRule({
  code: "tool-call-repaired",
  family: "tool-calls",
  tier: "repair",
  severity: "note",
  title: "JSON mended",
  why: "Slips of the pen that leave one meaning.",
  fix: "Write strict JSON.",
  kind: "tool-calls",
  before: lines("```json", "{ 'uid': 'call-1', 'name': 'read_file', 'arguments': { 'path': 'src/main.ts', } }", "```"),
  after: lines("```json", '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }', "```")
})
