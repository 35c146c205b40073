import { assert, it } from "@effect/vitest"
import { mcpToolName, serverPrefix } from "../../../src/domain/plugins/McpToolName.ts"
import { isToolName } from "../../../src/domain/permissions/RuleText.ts"

it("makes every name of a server and a tool one that a tool may have", () => {
  const cases: ReadonlyArray<readonly [server: string, tool: string, name: string]> = [
    ["github", "search_code", "mcp__github__search_code"],
    ["My Server", "readFile", "mcp__my_server__read_file"],
    ["a--b__c", "__get//URL2__", "mcp__a_b_c__get_url2"],
    ["9", "été", "mcp__9__t"]
  ]
  for (const [server, tool, name] of cases) {
    assert.strictEqual(mcpToolName(serverPrefix(server) ?? "", tool), name)
    assert.isTrue(isToolName(name))
  }
})

it("cannot use a name without letters and digits, or one that is too long", () => {
  assert.deepStrictEqual(
    [
      serverPrefix("???"),
      serverPrefix("s".repeat(51)),
      mcpToolName("mcp__s__", "—"),
      mcpToolName("mcp__s__", "t".repeat(93))
    ],
    [undefined, undefined, undefined, undefined]
  )
  assert.strictEqual(mcpToolName("mcp__s__", "t".repeat(92))?.length, 100)
})
