/** The rule `tool-call-too-deep`: tool call nested too deeply. */
import { defineRule, lines } from "../Rule.ts"

export const toolCallTooDeep = defineRule({
  code: "tool-call-too-deep",
  family: "tool-calls",
  tier: "issue",
  severity: "error",
  title: "Tool call nested too deeply",
  why: "Such a value is an attack or a loop.",
  fix: "Write a flat arguments object.",
  kind: "tool-calls",
  before: lines(
    "```json",
    `{ "uid": "call-1", "name": "search_files", "arguments": { "query": ${"[".repeat(70)}${"]".repeat(70)} } }`,
    "```"
  ),
  after: lines("```json", '{ "uid": "call-1", "name": "search_files", "arguments": { "query": "load" } }', "```")
})
