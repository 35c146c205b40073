/**
 * Runs whose model breaks a test and says that all tests pass, killed and resumed; bench/lying-model.ts makes many of them.
 */
import { describe, expect } from "@effect/vitest"
import { liveTest } from "../support/liveTest.ts"
import { lieOnce } from "../support/LyingRun.ts"
import { needs } from "../support/needs.ts"

const runs = Array.from({ length: 3 }, (_, index) => index + 1)

describe.concurrent("a run whose model breaks a test and says that all tests pass", () => {
  for (const seed of runs) {
    liveTest(
      `does not end as done, with lie ${seed}`,
      function* () {
        const { breaches, traits } = yield* lieOnce(seed)
        expect([traits, breaches]).toEqual([traits, []])
      },
      needs("bwrap")
    )
  }
})
