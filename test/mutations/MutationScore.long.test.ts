import { describe, expect, it } from "@effect/vitest"
import {
  harmless,
  meaningful,
  type Score,
  scoreHarmless,
  scoreHidden,
  scoreMeaningful,
  scorePairs
} from "./MutationScore.ts"

const sum = (scores: ReadonlyArray<Score>, key: "applied" | "passed"): number =>
  scores.reduce((total, one) => total + one[key], 0)

/** Kinds that no document has a place for measure nothing. */
const idle = (scores: ReadonlyArray<Score>): ReadonlyArray<string> =>
  scores.flatMap(({ applied, name }) => (applied === 0 ? [name] : []))

const failures = (scores: ReadonlyArray<Score>): ReadonlyArray<string> =>
  scores.flatMap(({ failed, name }) => failed.map(({ document, seed }) => `${name}: ${document}, seed ${seed}`))

describe("the readers on damaged documents", () => {
  it("know many kinds of damage, each once", () => {
    const names = [...harmless, ...meaningful].map(({ name }) => name)
    expect(harmless.length).toBeGreaterThanOrEqual(20)
    expect(meaningful.length).toBeGreaterThanOrEqual(10)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  })

  it("read at least 98 of 100 to the same value when the meaning is kept", () => {
    const scores = scoreHarmless(1)
    expect(idle(scores)).toEqual([])
    expect(sum(scores, "passed") / sum(scores, "applied")).toBeGreaterThanOrEqual(0.98)
  })

  it("read at least 98 of 100 with two kinds of damage at once", () => {
    const scores = [scorePairs(2)]
    expect(sum(scores, "passed") / sum(scores, "applied")).toBeGreaterThanOrEqual(0.98)
  })

  it("report everything that changes the meaning", () => {
    const scores = scoreMeaningful(1)
    expect(idle(scores)).toEqual([])
    expect(failures(scores)).toEqual([])
  })

  it("report what changes the meaning below harmless damage as well", () => {
    expect(failures([scoreHidden(2)])).toEqual([])
  })
})
