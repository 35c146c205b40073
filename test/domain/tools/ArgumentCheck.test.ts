import { assert, it } from "@effect/vitest"
import { renameArguments } from "../../../src/domain/tools/ArgumentCheck.ts"

it("the names of arguments may be words that every object has", () => {
  for (const name of ["constructor", "toString", "valueOf", "hasOwnProperty"]) {
    const call = { uid: "call-1", name: "build", arguments: { other: 1 } }
    const schema = { type: "object", properties: { [name]: { type: "number" } }, required: [name] }
    assert.deepStrictEqual(renameArguments(call, schema, {}).call.arguments, { other: 1 }, name)
  }
})
