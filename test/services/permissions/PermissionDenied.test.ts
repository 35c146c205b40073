import { assert, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { PermissionDenied, SavedDenial } from "../../../src/services/permissions/GateQuestion.ts"

it("a denial is saved and read under the tag that older journals hold", () => {
  const denied = new PermissionDenied({ tool: "write_file", targets: ["/p/a.txt"], by: "person", times: 1 })
  const saved = { _tag: "Denied", tool: "write_file", targets: ["/p/a.txt"], by: "person", times: 1 }
  const codec = Schema.toCodecJson(SavedDenial)
  assert.deepStrictEqual(Schema.encodeSync(codec)(denied), saved)
  const read = Schema.decodeUnknownSync(codec)(saved)
  assert.instanceOf(read, PermissionDenied)
  assert.strictEqual(read.message, denied.message)
})
