import { assert, describe, it } from "@effect/vitest"
import { flattenEvent, RunEvent } from "../../../src/domain/runs/RunEvent.ts"
import { outputJson } from "../../../src/domain/text/Json.ts"

/** The names of all fields in a text, but for what belongs to a tool and the stages by their names. */
const namesIn = (text: string): ReadonlyArray<string> => {
  const names: Array<string> = []
  JSON.parse(text, (name, value) => {
    if (name !== "" && !/^\d+$/.test(name)) names.push(name)
    return value as unknown
  })
  return names
}

const read = (value: unknown): unknown => JSON.parse(outputJson(value))

describe("names in the JSON that commands print", () => {
  it.prop("every event has names in snake_case", [RunEvent], ([event]) => {
    const own: unknown = JSON.parse(JSON.stringify(flattenEvent({ at: "", event })), (name, value) =>
      ["arguments", "data", "stageModels"].includes(name) ? null : (value as unknown)
    )
    const wrong = namesIn(outputJson(own)).filter((name) => !/^_?[a-z0-9]+(_[a-z0-9]+)*$/.test(name))
    assert.deepStrictEqual(wrong, [])
  })

  it("writes the words of a name apart, and nothing else", () => {
    assert.deepStrictEqual(read({ endsAtSeconds: 1, modelMs: 2, _tag: "Denied", list: [{ runId: "a" }] }), {
      ends_at_seconds: 1,
      model_ms: 2,
      _tag: "Denied",
      list: [{ run_id: "a" }]
    })
    assert.deepStrictEqual(read({ what_is_needed: "x", sha256: "y" }), { what_is_needed: "x", sha256: "y" })
    assert.deepStrictEqual(read([null, "aB", 3, true]), [null, "aB", 3, true])
  })

  it("leaves what belongs to a tool or a schema as it is", () => {
    const foreign = { arguments: { maxLines: 3 }, data: [{ fileName: "a" }], parameters: { oneOf: [{ minLength: 1 }] } }
    assert.deepStrictEqual(read({ call: foreign }), { call: foreign })
  })
})
