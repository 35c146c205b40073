import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { PermissionDenied, SavedDenial } from "../../../src/services/permissions/GateQuestion.ts"

describe("PermissionDenied", () => {
  const denied = new PermissionDenied({ tool: "write_file", targets: ["/p/a.txt"], by: "person", times: 1 })
  const saved = { _tag: "Denied", tool: "write_file", targets: ["/p/a.txt"], by: "person", times: 1 }

  it("has the name of its class as its tag", () => {
    assert.strictEqual(denied._tag, "PermissionDenied")
  })

  it("is saved and read under the tag that older journals hold", () => {
    const codec = Schema.toCodecJson(SavedDenial)
    assert.deepStrictEqual(Schema.encodeSync(codec)(denied), saved)
    assert.instanceOf(Schema.decodeUnknownSync(codec)(saved), PermissionDenied)
    assert.strictEqual(Schema.decodeUnknownSync(codec)(saved).message, denied.message)
  })
})
