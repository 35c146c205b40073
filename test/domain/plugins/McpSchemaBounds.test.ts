import { assert, it } from "@effect/vitest"
import { schemaExcess } from "../../../src/domain/plugins/McpSchemaBounds.ts"

const object = (properties: object, more: object = {}) => ({ type: "object", properties, ...more })

it("lets schemas through that people write, also with definitions that refer to themselves", () => {
  const node = object({ next: { $ref: "#/$defs/node" }, other: { $ref: "#/$defs/missing" } })
  assert.isUndefined(schemaExcess(object({ a: { type: "string" }, b: { $ref: "#/$defs/node" } }, { $defs: { node } })))
})

it("stops at what unfolds without end", () => {
  const names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
  const all = object(Object.fromEntries(names.map((name) => [name, { $ref: `#/definitions/${name}` }])))
  const definitions = Object.fromEntries(names.map((name) => [name, all]))
  const begun = performance.now()
  assert.strictEqual(
    schemaExcess({ ...all, definitions }),
    "the schema of its parameters unfolds to more than 10000 parts or 64 levels."
  )
  assert.isBelow(performance.now() - begun, 1000)
})

it("stops at what is nested deeply, and at what is long", () => {
  let deep: object = {}
  for (let level = 0; level < 100_000; level++) deep = { items: deep }
  assert.match(schemaExcess(object({ deep })) ?? "", /64 levels\.$/)
  assert.match(schemaExcess(object({}, { description: "x".repeat(70_000) })) ?? "", /65536 characters\.$/)
})
