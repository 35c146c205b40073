import { expect, it } from "@effect/vitest"
import type * as Schema from "effect/Schema"
import { compactSchema, toolInstructions, typeText } from "../../../src/domain/models/ToolText.ts"

it.each<[Schema.JsonObject, string]>([
  [{ type: "string", minLength: 1 }, "string"],
  [{ type: "integer", minimum: 0, maximum: 5 }, "integer 0 to 5"],
  [{ type: "integer", minimum: 1 }, "integer"],
  [{ enum: ["a", "b"] }, '"a" or "b"'],
  [{ const: 3 }, "3"],
  [{ anyOf: [{ type: "string" }, { type: "array", items: { type: "number" } }] }, "string or array of number"],
  [{ oneOf: [{ type: "boolean" }] }, "boolean"],
  [{ type: ["string", "null"] }, "string or null"],
  [{ type: "object", properties: { a: { type: "string" }, b: {} }, required: ["a"] }, "{ a: string, b?: any }"],
  [{}, "any"]
])("typeText writes %j", (schema, text) => {
  expect(typeText(schema)).toBe(text)
})

it("typeText ends where a schema nests without end", () => {
  let schema: Parameters<typeof typeText>[0] = { type: "string" }
  for (let depth = 0; depth < 50; depth += 1) schema = { type: "array", items: schema }
  expect(typeText(schema).length).toBeLessThan(80)
})

it("describes a tool in a few lines, without defaults and limits of lengths", () => {
  const parameters = {
    type: "object",
    properties: {
      path: { type: "string", minLength: 1, description: "The file." },
      depth: { type: "integer", description: "How deep. Default: 3." },
      raw: { type: "boolean" }
    },
    required: ["path"]
  }
  const info = { name: "look", description: "Looks.", parameters, example: { path: "a" }, origin: "x", definition: "" }
  expect(toolInstructions([{ ...info, risk: "safe", effect: "pure" }])).toBe(
    '### look\nLooks.\n- `path` (string, required): The file.\n- `depth` (integer): How deep.\n- `raw` (boolean)\nFor example: `{"name":"look","arguments":{"path":"a"}}`'
  )
})

it("leaves limits of lengths and defaults out of a schema, and parameters with such names in it", () => {
  const written = { type: "string", maxLength: 9, default: "x", description: "Where. Default: here." }
  const list = { type: "array", minItems: 1, items: { enum: ["minLength"], pattern: "x" } }
  expect(compactSchema({ type: "object", properties: { default: written, list }, required: ["default"] })).toEqual({
    type: "object",
    properties: {
      default: { type: "string", description: "Where." },
      list: { type: "array", items: { enum: ["minLength"] } }
    },
    required: ["default"]
  })
})
