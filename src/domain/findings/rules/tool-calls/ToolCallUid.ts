/** The rule `tool-call-uid`: uid made by the host. */
import { defineRule, lines } from "../Rule.ts"

export const toolCallUid = defineRule({
  code: "tool-call-uid",
  family: "tool-calls",
  tier: "repair",
  severity: "note",
  title: "Uid made by the host",
  why: "It was missing, given twice, or not a text.",
  fix: "Give every call a uid of its own.",
  kind: "tool-calls",
  before: lines("```json", '{ "name": "read_file", "arguments": { "path": "src/main.ts" } }', "```"),
  after: lines("```json", '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }', "```")
})
