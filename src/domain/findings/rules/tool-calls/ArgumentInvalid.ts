/** The rule `argument-invalid`: argument does not fit. */
import { defineRule, lines } from "../Rule.ts"

export const argumentInvalid = defineRule({
  code: "argument-invalid",
  family: "tool-calls",
  tier: "issue",
  severity: "error",
  title: "Argument does not fit",
  why: "The tool takes values of another kind.",
  fix: "Write a value that fits the parameter.",
  kind: "run-tool-calls",
  before: lines("```json", '{ "uid": "call-1", "name": "read_file", "arguments": { "path": ["src/main.ts"] } }', "```"),
  after: lines("```json", '{ "uid": "call-1", "name": "read_file", "arguments": { "path": "src/main.ts" } }', "```")
})
