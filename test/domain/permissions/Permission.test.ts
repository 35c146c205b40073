import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { isToolName, parseRule } from "../../../src/domain/permissions/Permission.ts"
import { higherRisk } from "../../../src/domain/tools/Access.ts"

it("higherRisk takes the higher one", () => {
  assert.deepStrictEqual(
    [higherRisk("safe", "medium"), higherRisk("high", "medium"), higherRisk("safe", "safe")],
    ["medium", "high", "safe"]
  )
})

describe("parseRule", () => {
  it("reads a tool alone", () => {
    assert.deepStrictEqual(parseRule("deny", "write_file"), Result.succeed({ verdict: "deny", tool: "write_file" }))
  })

  it("splits at the first colon", () => {
    assert.deepStrictEqual(
      parseRule("allow", "fetch_url:https://example.com/**"),
      Result.succeed({ verdict: "allow", tool: "fetch_url", pattern: "https://example.com/**" })
    )
  })

  const rejected: ReadonlyArray<[text: string, message: string]> = [
    ["*", '"*" is not a tool name. Name one tool, as "task-conductor tools list" shows it.'],
    ["", '"" is not a tool name. Name one tool, as "task-conductor tools list" shows it.'],
    ["Read", '"Read" is not a tool name. Name one tool, as "task-conductor tools list" shows it.'],
    ["read_file:", 'The pattern after "read_file:" is empty. Write a path, a URL, or leave the colon out.'],
    ["read_file:../x", 'The pattern "../x" holds "..". Write an absolute path for what lies outside the project.'],
    ["read_file:a\u001b[2J", "The pattern for read_file holds a control character. Remove it."]
  ]
  for (const [text, message] of rejected) {
    it(`rejects ${JSON.stringify(text)} and says why`, () => {
      assert.deepStrictEqual(parseRule("allow", text), Result.fail(message))
    })
  }
})

it("isToolName accepts lower-case ASCII words joined by underscores", () => {
  const names = ["read_file", "mcp__git__log", "a1", "read-file", "Read", "_a", "a_", "a___b", "r\u0435ad", "1a"]
  assert.deepStrictEqual(names.filter(isToolName), ["read_file", "mcp__git__log", "a1"])
})
