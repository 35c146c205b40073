import { assert, describe } from "@effect/vitest"
import { TestClock } from "effect/testing"
import { nodeTest } from "../../support/nodeTest.ts"
import { openTools } from "../../support/OpenTools.ts"

describe("get_current_time", () => {
  nodeTest("returns the time as ISO 8601", function* () {
    const { run } = yield* openTools()
    yield* TestClock.setTime(Date.UTC(2026, 10, 21, 8, 30))
    assert.strictEqual((yield* run("get_current_time")).data, "2026-11-21T08:30:00.000Z")
  })
})
