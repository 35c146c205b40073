import { describe, expect, it } from "@effect/vitest"
import { answerMsOf, cachedText, cachedTokensOf, loadText, speedText } from "../../../src/domain/models/TokenCounts.ts"

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

describe("the times of a server", () => {
  it("are said with a count of tokens", () => {
    expect(speedText({ answerTokens: 380, answerMs: 10_000 })).toBe(" at 38 tokens/s")
    expect(speedText({ answerTokens: 5, answerMs: 2000 })).toBe(" at 2.5 tokens/s")
    expect(loadText({ loadMs: 12_300 })).toBe(", 12.3 s to load models")
  })

  it("are left out when the server does not say them, and when nothing was loaded", () => {
    expect(speedText({ answerTokens: 380 })).toBe("")
    expect(speedText({ answerTokens: 0, answerMs: 10 })).toBe("")
    expect(loadText({ loadMs: 40 })).toBe("")
    expect(loadText({})).toBe("")
  })

  it("give no speed when one call with tokens has no time", () => {
    expect(answerMsOf([{ answerTokens: 5, answerMs: 7 }, { answerTokens: 0 }])).toEqual({ answerMs: 7 })
    expect(answerMsOf([{ answerTokens: 5, answerMs: 7 }, { answerTokens: 1 }])).toEqual({})
  })
})
