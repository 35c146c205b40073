/** The rule `argument-missing`: required argument missing. */
import { defineRule, lines } from "../Rule.ts"

export const argumentMissing = defineRule({
  code: "argument-missing",
  family: "tool-calls",
  tier: "issue",
  severity: "error",
  title: "Required argument missing",
  why: "A repair never invents an argument.",
  fix: "Add the argument.",
  kind: "run-tool-calls",
  before: lines("```json", '{ "uid": "call-1", "name": "read_file", "arguments": {} }', "```"),
  after: lines("```json", '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }', "```")
})
