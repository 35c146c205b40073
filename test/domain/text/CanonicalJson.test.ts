import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { canonicalJson } from "../../../src/domain/text/Json.ts"

describe("canonicalJson", () => {
  it("sorts the keys at every depth and leaves arrays in order", () => {
    assert.strictEqual(
      canonicalJson({ b: [2, 1, { d: null, c: "\n" }], a: true }),
      '{"a":true,"b":[2,1,{"c":"\\n","d":null}]}'
    )
  })

  it.prop("writes JSON that reads back as the same value", [Schema.Json], ([value]) => {
    assert.deepStrictEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)))
  })
})
