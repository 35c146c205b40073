import { describe, expect, it } from "@effect/vitest"
import { cachedText, cachedTokensOf } from "../../../src/domain/models/TokenCounts.ts"

interface Counted {
  readonly promptTokens: number
  readonly cachedTokens?: number
}

const sum = (counts: ReadonlyArray<Counted>): Counted =>
  counts.reduce<Counted>(
    (before, one) => ({ promptTokens: before.promptTokens + one.promptTokens, ...cachedTokensOf([before, one]) }),
    { promptTokens: 0 }
  )

describe("cachedTokensOf", () => {
  it.each([
    ["nothing was counted", [], {}],
    ["a call without any count does not matter", [{}, { promptTokens: 10, cachedTokens: 4 }], { cachedTokens: 4 }],
    [
      "all say it",
      [
        { promptTokens: 10, cachedTokens: 0 },
        { promptTokens: 9, cachedTokens: 8 }
      ],
      { cachedTokens: 8 }
    ],
    ["one does not say it", [{ promptTokens: 10, cachedTokens: 4 }, { promptTokens: 9 }], {}],
    ["none says it", [{ promptTokens: 10 }, { promptTokens: 9 }], {}]
  ] as const)("%s", (_, counts, expected) => {
    expect(cachedTokensOf(counts)).toEqual(expected)
  })

  it("adds up call by call to the same as all at once", () => {
    const told = [4, 0, 7].map((cachedTokens) => ({ promptTokens: 10, cachedTokens }))
    expect(sum(told)).toEqual({ promptTokens: 30, cachedTokens: 11 })
    expect(sum([{ promptTokens: 10 }, ...told])).toEqual({ promptTokens: 40 })
    expect(sum([...told, { promptTokens: 10 }, ...told])).toEqual({ promptTokens: 70 })
  })
})

describe("cachedText", () => {
  it("is empty where nothing is known", () => {
    expect(cachedText({ promptTokens: 10 })).toBe("")
    expect(cachedText({ promptTokens: 10, cachedTokens: 0 })).toBe(", 0 of them from the server's cache")
  })
})
