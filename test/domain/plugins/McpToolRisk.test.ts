import { assert, it } from "@effect/vitest"
import { mcpToolEffect, mcpToolRisk } from "../../../src/domain/plugins/McpToolRisk.ts"

const plain = { name: "a", isDestructive: false }
const destroying = { name: "a", isDestructive: true }

it("is medium when nobody says anything, and high when the server says that it destroys", () => {
  assert.deepStrictEqual([mcpToolRisk({}, plain), mcpToolRisk({}, destroying)], ["medium", "high"])
})

it("is what the person says of the server, which a server can only raise", () => {
  assert.deepStrictEqual(
    [mcpToolRisk({ risk: "safe" }, plain), mcpToolRisk({ risk: "safe" }, destroying)],
    ["safe", "high"]
  )
  assert.deepStrictEqual(
    [mcpToolRisk({ risk: "high" }, plain), mcpToolRisk({ risk: "high" }, destroying)],
    ["high", "high"]
  )
})

it("is what the person says of the very tool", () => {
  const entry = { risk: "high", tools: { a: { risk: "safe" } } } as const
  assert.deepStrictEqual(
    [mcpToolRisk(entry, destroying), mcpToolRisk(entry, { ...plain, name: "b" })],
    ["safe", "high"]
  )
})

it("has a second effect when it is repeated, unless the person says otherwise", () => {
  const entry = { tools: { a: { effect: "pure" } } } as const
  assert.deepStrictEqual([mcpToolEffect(entry, "a"), mcpToolEffect(entry, "constructor")], ["pure", "once"])
})
