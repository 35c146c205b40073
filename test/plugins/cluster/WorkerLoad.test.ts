import { assert, describe } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { HeldLease } from "../../../src/plugins/cluster/ClusterWork.ts"
import { makeLoad } from "../../../src/plugins/cluster/WorkerLoad.ts"
import { nodeTest } from "../../support/nodeTest.ts"
import { leasedPiece } from "../../support/LeasedRun.ts"

describe("what a worker takes", () => {
  nodeTest("is no run more when it leads four for each of its slots", function* () {
    const load = makeLoad(2)
    const end = yield* Deferred.make<void>()
    const lead = (lease: HeldLease) =>
      Effect.forkScoped(load.counted(lease, Deferred.await(end)), { startImmediately: true })
    for (let led = 0; led < 8; led += 1) {
      assert.strictEqual(load.capacity().run, 1)
      yield* lead(yield* leasedPiece("run"))
    }
    yield* lead(yield* leasedPiece("task"))
    assert.strictEqual(load.capacity().run, 0)
    yield* Deferred.succeed(end, undefined)
    yield* Effect.yieldNow
    assert.strictEqual(load.capacity().run, 1)
  })
})
