import { assert, it, describe } from "@effect/vitest"
import {
  mcpToolName,
  serverPrefix,
  mcpToolEffect,
  mcpToolRisk,
  mcpData,
  type McpResult
} from "../../../src/plugins/mcp/McpTool.ts"
import { readableSchema } from "../../../src/plugins/mcp/McpSchema.ts"
import { contentParts } from "../../../src/plugins/mcp/McpConnection.ts"
import type * as McpSchema from "effect/ai/McpSchema"
import { isToolName } from "../../../src/domain/permissions/Permission.ts"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import { ToolFailure } from "../../../src/domain/tools/ToolCall.ts"
import { ToolOutput } from "../../../src/domain/tools/ToolOutput.ts"
import { cpuTime } from "../../support/cpuTime.ts"

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
  assert.deepStrictEqual([serverPrefix("???"), serverPrefix("s".repeat(51))], [undefined, undefined])
  const named = ["—", "t".repeat(93), "t".repeat(92)].map((name) => mcpToolName("mcp__s__", name)?.length)
  assert.deepStrictEqual(named, [undefined, undefined, 100])
})

const plain = { name: "a", isDestructive: false }
const destroying = { name: "a", isDestructive: true }

it("gives a tool the risk that the user set for it, else that of its server, which the server can raise", () => {
  const ofTool = { risk: "high", tools: { a: { risk: "safe" } } } as const
  for (const [entry, usual, destructive] of [
    [{}, "medium", "high"],
    [{ risk: "safe" }, "safe", "high"],
    [{ risk: "high" }, "high", "high"],
    [ofTool, "safe", "safe"]
  ] as const)
    assert.deepStrictEqual([mcpToolRisk(entry, plain), mcpToolRisk(entry, destroying)], [usual, destructive])
  assert.strictEqual(mcpToolRisk(ofTool, { ...plain, name: "b" }), "high")
})

it("takes a repeated call for a second effect, unless the user says otherwise", () => {
  const entry = { tools: { a: { effect: "pure" } } } as const
  assert.deepStrictEqual([mcpToolEffect(entry, "a"), mcpToolEffect(entry, "constructor")], ["pure", "once"])
})

const schemaExcess = (schema: unknown): string | undefined => {
  const readable = readableSchema(schema)
  return Result.isFailure(readable) ? readable.failure : undefined
}

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more })

it("stops at what unfolds without end", () => {
  const names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
  const all = object(Object.fromEntries(names.map((name) => [name, { $ref: `#/definitions/${name}` }])))
  const definitions = Object.fromEntries(names.map((name) => [name, all]))
  const time = cpuTime(() =>
    assert.strictEqual(
      schemaExcess({ ...all, definitions }),
      "the schema of its parameters unfolds to more than 10000 parts or 64 levels."
    )
  )
  assert.isBelow(time, 1000)
})

it("stops at what is nested deeply, and at what is long", () => {
  let deep: object = {}
  for (let level = 0; level < 100_000; level++) deep = { items: deep }
  assert.match(schemaExcess(object({ deep })) ?? "", /64 levels\.$/)
  assert.match(schemaExcess(object({}, { description: "x".repeat(70_000) })) ?? "", /65536 characters\.$/)
})

const dataOf = (given: Partial<McpResult>) =>
  mcpData("say", { text: "", structured: undefined, isError: false, ...given })

const failure = (message: string) => Result.fail(new ToolFailure({ type: "internal_error", message }))

describe("the data of a server's result", () => {
  it("is its text, with its images and files beside it", () => {
    const parts = contentParts([
      { type: "text", text: "One." },
      { type: "image", mimeType: "image/png", data: new Uint8Array(12) },
      { type: "resource_link", uri: "file:///a", name: "a" },
      { type: "resource", resource: { uri: "file:///b", text: "the text of b" } },
      { type: "resource", resource: { uri: "file:///c", mimeType: "application/zip", blob: new Uint8Array(9) } }
    ] as ReadonlyArray<McpSchema.ContentBlock>)
    assert.deepStrictEqual(
      dataOf(parts),
      Result.succeed(
        new ToolOutput({
          text: ["One.", "[link a: file:///a]", "[resource file:///b]\nthe text of b"].join("\n"),
          images: [{ mediaType: "image/png", data: new Uint8Array(12) }],
          files: [{ name: "file:///c", mediaType: "application/zip", data: new Uint8Array(9) }]
        })
      )
    )
  })

  it("is its structured content when the text says the same or nothing", () => {
    const structured = { a: 1, b: [true] }
    assert.deepStrictEqual(dataOf({ structured }), Result.succeed(structured))
    assert.deepStrictEqual(dataOf({ structured, text: '{ "b": [true], "a": 1 }' }), Result.succeed(structured))
  })

  const file = "# Title\n\nText.\n"
  const list = [{ id: 1 }, { id: 2 }]
  const same: ReadonlyArray<
    readonly [name: string, structured: Schema.Json, texts: ReadonlyArray<string>, data: Schema.Json]
  > = [
    ["JSON with blanks", { a: 1 }, ['{\n  "a": 1\n}'], { a: 1 }],
    ["the only value of an object", { content: file }, [file], file],
    ["the only value, with other ends of lines", { content: "a\r\nb" }, ["a\nb\n"], "a\nb\n"],
    ["a number that is wrapped", { result: 5 }, ["5"], { result: 5 }],
    ["a list that is wrapped", { result: list }, [JSON.stringify(list)], { result: list }],
    [
      "a list, a text for each item",
      { result: list },
      list.map((item) => JSON.stringify(item, null, 2)),
      { result: list }
    ],
    ["words, a text for each", { result: ["a", "b"] }, ["a", "b"], { result: ["a", "b"] }],
    ["lines", { result: ["a", "b"] }, ["a\nb"], { result: ["a", "b"] }],
    [
      "blocks of content",
      { content: [{ type: "text", text: file }] },
      [file],
      { content: [{ type: "text", text: file }] }
    ],
    ["JSON behind words", { a: [1] }, ['Found: {"a":[1]}'], 'Found: {"a":[1]}']
  ]
  it.each(same)("goes to the model once when both say the same: %s", (_, structured, texts, data) => {
    assert.deepStrictEqual(dataOf({ structured, text: texts.join("\n"), texts }), Result.succeed(data))
  })

  it("is both when they differ", () => {
    const structured = { a: 1 }
    const text = "It is one."
    assert.deepStrictEqual(dataOf({ structured, text }), Result.succeed({ text, structured }))
  })

  it("is a failure with the server's words, bounded, when the server says so", () => {
    for (const [text, why] of [
      [" No such city. ", "No such city."],
      ["", "it gave no reason."],
      ["x".repeat(3000), "x".repeat(2000)]
    ] as const)
      assert.deepStrictEqual(dataOf({ isError: true, text }), failure(`The tool say failed: ${why}`))
  })
})
