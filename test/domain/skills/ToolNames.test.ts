import { assert, describe, it } from "@effect/vitest"
import { readToolNames } from "../../../src/domain/skills/AllowedTools.ts"

const limit = (tool: string, ...patterns: ReadonlyArray<string>) => ({ tool, patterns })

describe("readToolNames", () => {
  it("reads every tool of another program that does the same here, each once", () => {
    const { limits, renamed, tools } = readToolNames("Read, Grep, Glob, LS, Write, Edit, MultiEdit, Bash, WebFetch")
    assert.deepStrictEqual(tools, [
      "read_file",
      "search_files",
      "get_file_tree",
      "write_file",
      "edit_file",
      "run_command",
      "fetch_url"
    ])
    assert.deepStrictEqual([limits, renamed.length], [[], 9])
  })

  it("keeps what stands in parentheses as a limit, also with blanks and commas in it", () => {
    const { limits, renamed, tools } = readToolNames("Bash(git add:*), Bash(npm run {build,test}) Read(docs/**)  search_files")
    assert.deepStrictEqual(tools, ["run_command", "read_file", "search_files"])
    assert.deepStrictEqual(limits, [
      limit("run_command", "git add:*", "npm run {build,test}"),
      limit("read_file", "docs/**")
    ])
    assert.deepStrictEqual(renamed[1], ["Bash(npm run {build,test})", "run_command"])
  })

  it("has no limit for a tool that is also named without one, or with a lone star", () => {
    assert.deepStrictEqual(readToolNames("Bash(git:*) Bash").limits, [])
    assert.deepStrictEqual(readToolNames("Read(src/*) Read(*)").limits, [])
    assert.deepStrictEqual(readToolNames("WebFetch() Bash( * )").limits, [])
  })

  it("takes the names that tools have here as they are, with a limit too", () => {
    assert.deepStrictEqual(readToolNames("read_file run_command(git log:*)"), {
      tools: ["read_file", "run_command"],
      limits: [limit("run_command", "git log:*")],
      renamed: []
    })
  })

  it.each([
    ["TodoWrite WebSearch Task", ["TodoWrite", "WebSearch", "Task"]],
    // Lower case: a plugin may have such a tool.
    ["bash read grep", ["bash", "read", "grep"]],
    // Limits that cannot be kept must not be dropped.
    ["Grep(src/**) Glob(*.ts)", ["Grep(src/**)", "Glob(*.ts)"]],
    // Nothing may be taken from an open parenthesis.
    ["Read Bash(git add", ["read_file", "Bash(git add"]],
    ["mcp__Tracker-One__createIssue mcp__tracker", ["mcp__tracker_one__create_issue", "mcp__tracker"]],
    ["", []]
  ])("reads %j as %j", (text, tools) => {
    const found = readToolNames(text)
    assert.deepStrictEqual([found.tools, found.limits], [tools, []])
  })
})
