import { describe, expect } from "@effect/vitest"
import { liveTest } from "../support/liveTest.ts"
import { needs } from "../support/needs.ts"
import { makePowerLoss } from "../support/PowerLossRun.ts"

describe("a run whose machine loses its power", needs("strace"), () => {
  liveTest("goes on from what was synced to the same end; bench/power-loss.ts tries it at more moments", function* () {
    const { lose } = yield* makePowerLoss
    for (const seed of [7, 29]) expect(yield* lose(seed)).toEqual({ breaches: [], isDamaged: false })
  })
})
