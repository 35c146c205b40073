/** The rule `tool-call-key-forbidden`: forbidden key. */
import { defineRule, lines } from "../Rule.ts"

export const toolCallKeyForbidden = defineRule({
  code: "tool-call-key-forbidden",
  family: "tool-calls",
  tier: "issue",
  severity: "error",
  title: "Forbidden key",
  why: "The key would change the object itself.",
  fix: "Leave the key out.",
  kind: "tool-calls",
  before: lines(
    "```json",
    '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts", "__proto__": {} } }',
    "```"
  ),
  after: lines("```json", '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }', "```")
})
