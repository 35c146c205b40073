import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { needs } from "../support/needs.ts"
import { makePowerLoss } from "../support/PowerLossRun.ts"

describe("a run whose machine loses its power", needs("strace"), () => {
  it.live("goes on from what was synced to the same end; bench/power-loss.ts tries it at more moments", () =>
    Effect.gen(function* () {
      const { lose } = yield* makePowerLoss
      for (const seed of [7, 29]) expect(yield* lose(seed)).toEqual({ breaches: [], isDamaged: false })
    })
  )
})
