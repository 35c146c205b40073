/** Schemas of tools that refer to parts of themselves in every way that JSON schemas have. */
import { assert, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { readableSchema } from "../../../src/plugins/mcp/McpSchema.ts"
import { jsonSchemaParameters, parameterSchema } from "../../../src/domain/tools/ToolSchema.ts"
import { cpuTime } from "../../support/cpuTime.ts"

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more })
const text = { type: "string" }
const draft07 = { $schema: "http://json-schema.org/draft-07/schema#" }
const to = ($ref: string) => object({ a: { $ref } })

/** What becomes of the parameter `a`. */
const variants: ReadonlyArray<readonly [name: string, schema: object, a?: unknown]> = [
  ["$defs", { ...to("#/$defs/x"), $defs: { x: text } }],
  ["definitions", { ...to("#/definitions/x"), definitions: { x: text } }],
  ["a property", object({ b: text, a: { $ref: "#/properties/b" } })],
  ["a property of a property", object({ b: object({ c: text }), a: { $ref: "#/properties/b/properties/c" } })],
  ["an escaped name", { ...to("#/$defs/a~1b~0c%20d"), $defs: { "a/b~c d": text } }],
  [
    "a chain",
    object(
      { b: text, a: { $ref: "#/$defs/x" } },
      { $defs: { x: { $ref: "#/$defs/y" }, y: { $ref: "#/properties/b" } } }
    )
  ],
  ["a definition in a group", { ...to("#/$defs/group/x"), $defs: { group: { x: text } } }],
  ["an anchor", { ...to("#name"), $defs: { x: { $anchor: "name", ...text } } }],
  ["an id", { ...to("#name"), definitions: { x: { $id: "#name", ...text } }, ...draft07 }],
  [
    "the address of the schema",
    { ...to("https://example.org/s#/$defs/x"), $id: "https://example.org/s", $defs: { x: text } }
  ],
  [
    "two definitions of one name",
    {
      ...object({ b: { $ref: "#/definitions/x" }, a: { $ref: "#/$defs/x" } }),
      $defs: { x: text },
      definitions: { x: { type: "number" } }
    }
  ],
  [
    "a definition with words beside it",
    object({ a: { $ref: "#/$defs/x", description: "Path." } }, { $defs: { x: text } }),
    { ...text, description: "Path." }
  ],
  ["anything", { ...to("#/$defs/x"), $defs: { x: true } }, {}],
  [
    "a schema that is only a reference",
    { $ref: "#/$defs/p", $defs: { p: object({ a: { $ref: "#/$defs/x" } }), x: text } }
  ],
  ["itself", object({ a: text, child: { $ref: "#" } })],
  ["a recursive reference", object({ a: text, child: { $recursiveRef: "#" } })],
  [
    "definitions that refer to each other",
    object(
      { a: text, b: { $ref: "#/$defs/x" } },
      { $defs: { x: object({ y: { $ref: "#/$defs/y" } }), y: object({ x: { $ref: "#/$defs/x" } }) } }
    )
  ],
  ["nothing, since it is a parameter of this name", object({ $ref: text, a: text })],
  [
    "nothing, since it is a default",
    object({ a: { ...text, default: { $ref: "#/no" } } }),
    { ...text, default: { $ref: "#/no" } }
  ]
]

it.each(variants)("a parameter that refers to %s is read", (_, schema, expected = text) => {
  const parameters = Result.flatMap(readableSchema(schema), (readable) => jsonSchemaParameters(readable))
  if (Result.isFailure(parameters)) assert.fail(parameters.failure)
  const { properties } = parameterSchema(parameters.success) as { readonly properties?: Record<string, unknown> }
  assert.deepStrictEqual(properties?.["a"], expected)
})

it("a reference that leads nowhere keeps its tool from being used, with the reason", () => {
  const readable = Result.getOrThrow(readableSchema(to("#/$defs/missing")))
  const parameters = jsonSchemaParameters(readable)
  assert.include(Result.isFailure(parameters) ? parameters.failure : "", "#/$defs/missing")
})

it("many pointers into a large schema are read in little time, or not at all", () => {
  const parts = Object.fromEntries(
    Array.from({ length: 600 }, (_, at) => [`p${at}`, { $ref: `#/properties/p${(at + 1) % 600}` }])
  )
  const astray = Object.fromEntries(Array.from({ length: 600 }, (_, at) => [`p${at}`, { $ref: `#/$defs/a/../${at}` }]))
  assert.isBelow(
    cpuTime(() => [readableSchema(object(parts)), readableSchema(object(astray))]),
    2000
  )
})
