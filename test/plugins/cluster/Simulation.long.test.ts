/** More seeds than Simulation.test.ts has. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { simulate } from "../../support/ClusterSimulation.ts"

describe("workers whose store, clock and fate a seed decides", () => {
  it("end each run once, lose nothing, do nothing twice and write nothing after the end", () =>
    Effect.gen(function* () {
      const wrong: Array<string> = []
      for (let seed = 6; seed <= 60; seed += 1) wrong.push(...(yield* simulate(seed)))
      assert.deepStrictEqual(wrong, [])
    }).pipe(Effect.runPromise))
})
