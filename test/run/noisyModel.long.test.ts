/**
 * Whole runs with a model that answers right but damaged as small models damage; bench/noisy-model.ts makes many of them.
 */
import { describe, expect, it } from "@effect/vitest"
import { defaultLimits } from "../../src/domain/configuration/Limits.ts"
import { badModels } from "../noisy/BadModels.ts"
import { runNoisily, type RunOptions } from "../noisy/NoisyRun.ts"
import { allNoise, tallyOf, verdictOf } from "../noisy/Tally.ts"

const options = { damage: 0.3, stubborn: 0.2, kinds: allNoise, window: 8192, lines: 2000 }

const runs = async (count: number, given: Partial<RunOptions>) => {
  const outcomes = []
  for (let seed = 1; seed <= count; seed += 1) outcomes.push(await runNoisily({ ...options, ...given, seed }))
  return outcomes
}

describe("a run with a noisy model", () => {
  it("is done with the fewest calls when nothing is damaged, in either window", async () => {
    for (const window of [4096, 8192]) {
      const outcomes = await runs(1, { damage: 0, window })
      expect(tallyOf(outcomes)).toEqual({ runs: 1, done: 1, wrongAsRight: 0, extraCalls: 0, damaged: 0 })
    }
  })

  it("needs hardly a further call when only the form is damaged", async () => {
    const kinds = allNoise.filter(({ name }) => /^(?:headings|labels|layout|form of|tool names|arguments)/.test(name))
    const outcomes = await runs(6, { kinds, damage: 0.5 })
    const { damaged, done, extraCalls } = tallyOf(outcomes)
    expect(outcomes.map(verdictOf)).toEqual(Array.from({ length: 6 }, () => "done"))
    expect({ done, isDamaged: damaged > 0.3, isCheap: extraCalls < 0.25 }).toEqual({
      done: 6,
      isDamaged: true,
      isCheap: true
    })
  })

  it("is done, and never reports a wrong outcome as right, with damage of every kind", async () => {
    const { done, extraCalls, wrongAsRight } = tallyOf(await runs(8, {}))
    expect({ done, wrongAsRight }).toEqual({ done: 8, wrongAsRight: 0 })
    expect(extraCalls).toBeLessThan(0.6)
  })
})

describe("a run with a model that does not do its work", () => {
  for (const [name, bad] of Object.entries(badModels)) {
    it(`is not done when the model is ${name}, says why, and is no longer than its limits`, async () => {
      const outcomes = await runs(3, { bad, kinds: [], damage: 0, lines: 300 })
      for (const { given, report } of outcomes) {
        expect([report.status, report.message]).toEqual([
          expect.not.stringMatching(/^done$/),
          expect.stringMatching(
            /did not change|no report within 12 turns|the same call was made 3 times|tries\. .*Last issues: \S/
          )
        ])
        expect(given.length).toBeLessThan(3 + 2 * 3 * 2 * defaultLimits.turns)
      }
    })
  }
})
