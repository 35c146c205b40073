import { assert, describe, it } from "@effect/vitest"
import { higherRisk } from "../../../src/domain/tools/Risk.ts"

describe("higherRisk", () => {
  it("takes the higher one", () => {
    assert.deepStrictEqual(
      [higherRisk("safe", "medium"), higherRisk("high", "medium"), higherRisk("safe", "safe")],
      ["medium", "high", "safe"]
    )
  })
})
