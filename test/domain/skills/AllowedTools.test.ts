import { assert, describe, it } from "@effect/vitest"
import { exceedsLimits, readToolNames } from "../../../src/domain/skills/AllowedTools.ts"
import type { Arguments } from "../../../src/domain/tools/ToolCall.ts"

const exceeds = (tool: string, patterns: ReadonlyArray<string>, given: Arguments): boolean =>
  exceedsLimits([{ tool, patterns }], { uid: "call-1", name: tool, arguments: given })

const command = (pattern: string, words: string): boolean =>
  !exceeds("run_command", [pattern], { argv: words.split(" ") })

describe("limits of a skill", () => {
  it.each([
    ["git add:*", "git add src/main.ts", true],
    ["git add:*", "git add", true],
    ["git add *", "git add -A .", true],
    ["git add:*", "git", false],
    ["git add:*", "git push", false],
    ["git add:*", "git addendum", false],
    ["git:*", "gitk", false],
    ["git:*", "/tmp/git status", false],
    ["npm test", "npm test", true],
    ["npm test", "npm test -- --watch", false],
    ["npm run lint:*", "npm run lint -- --fix", true],
    ["npm run lint:*", "npm run lint:all", false],
    ["python scripts/*.py:*", "python scripts/fill.py in.pdf", true],
    ["python scripts/*.py:*", "python scripts/sub/fill.py", false],
    ["python scripts/*.py:*", "python -c import", false],
    ["ls:*", "sh -c ls", false]
  ])("of commands: %j and %j", (pattern, words, fits) => {
    assert.strictEqual(command(pattern, words), fits)
  })

  it.each([
    ["docs/**", "docs/a/b.md", true],
    ["docs/**", "./docs/a.md", true],
    ["./docs/*", "docs/a.md", true],
    ["docs/*", "docs/a/b.md", false],
    ["docs/**", "docs/../src/key.ts", false],
    ["docs/**", "/etc/docs/a", false],
    ["**", "docs/..\\..\\x", false]
  ])("of files: %j and %j", (pattern, path, fits) => {
    for (const tool of ["read_file", "write_file", "edit_file"]) {
      assert.strictEqual(!exceeds(tool, [pattern], { path }), fits, tool)
    }
  })

  it.each([
    ["domain:example.org", "https://example.org/a", true],
    ["domain:example.org", "https://docs.example.org/", true],
    ["domain:example.org", "https://notexample.org/", false],
    ["domain:example.org", "https://example.org.evil.net/", false],
    ["domain:example.org", "https://evil.net/?example.org", false],
    ["https://example.org/docs/*", "https://example.org/docs/a", true],
    ["https://example.org/docs/*", "https://example.org/admin", false]
  ])("of pages: %j and %j", (pattern, url, fits) => {
    assert.strictEqual(!exceeds("fetch_url", [pattern], { url }), fits)
  })

  it("are kept when one of several patterns fits, and say nothing of other tools or of broken arguments", () => {
    assert.isFalse(exceeds("run_command", ["git:*", "npm test"], { argv: ["npm", "test"] }))
    assert.isTrue(exceeds("run_command", ["git:*", "npm test"], { argv: ["npm", "publish"] }))
    assert.isFalse(exceeds("run_command", ["git:*"], { argv: "npm publish" }))
    assert.isFalse(exceedsLimits([{ tool: "read_file", patterns: ["a"] }], { uid: "1", name: "search_files", arguments: { path: "b" } }))
  })
})

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
