/**
 * Runs whose model breaks a test and says that all tests pass, killed and resumed; bench/lying-model.ts makes many of them.
 */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { lieOnce } from "../support/LyingRun.ts"
import { needs } from "../support/needs.ts"

const runs = Array.from({ length: 3 }, (_, index) => index + 1)

describe.concurrent("a run whose model breaks a test and says that all tests pass", () => {
  for (const seed of runs) {
    it.live(
      `does not end as done, with lie ${seed}`,
      () =>
        Effect.gen(function* () {
          const { breaches, traits } = yield* lieOnce(seed)
          expect([traits, breaches]).toEqual([traits, []])
        }),
      needs("bwrap")
    )
  }
})
