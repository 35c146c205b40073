/** The rule `tool-call-arguments`: arguments are not an object. */
import { defineRule, lines } from "../Rule.ts"

export const toolCallArguments = defineRule({
  code: "tool-call-arguments",
  family: "tool-calls",
  tier: "issue",
  severity: "error",
  title: "Arguments are not an object",
  why: "Tools take named arguments.",
  fix: "Write `arguments` as a JSON object with the names of the parameters as keys.",
  kind: "tool-calls",
  before: lines("```json", '{ "uid": "call-1", "name": "read_file", "arguments": ["src/main.ts"] }', "```"),
  after: lines("```json", '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }', "```")
})
