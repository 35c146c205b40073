/** The rule `tool-call-alias`: key with another name. */
import { defineRule, lines } from "../Rule.ts"

export const toolCallAlias = defineRule({
  code: "tool-call-alias",
  family: "tool-calls",
  tier: "repair",
  severity: "note",
  title: "Key with another name",
  why: "A known other name of uid, name or arguments.",
  fix: "Use the keys `uid`, `name` and `arguments`.",
  kind: "tool-calls",
  before: lines("```json", '{ "uid": "call-1", "tool": "read_file", "arguments": { "path": "src/main.ts" } }', "```"),
  after: lines("```json", '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }', "```")
})
