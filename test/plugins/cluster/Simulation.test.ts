import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { simulate } from "../../support/ClusterSimulation.ts"

it("workers whose store, clock and fate a seed decides end each run once, lose nothing, do nothing twice and write nothing after the end", () =>
  Effect.gen(function* () {
    const wrong: Array<string> = []
    for (let seed = 1; seed <= 5; seed += 1) wrong.push(...(yield* simulate(seed)))
    assert.deepStrictEqual(wrong, [])
  }).pipe(Effect.runPromise))
