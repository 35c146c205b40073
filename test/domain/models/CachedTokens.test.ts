import { describe, expect, it } from "@effect/vitest"
import { answerMsOf, cachedText, cachedTokensOf, loadText, speedText } from "../../../src/domain/models/TokenCounts.ts"

interface Counted {
  readonly promptTokens: number
  readonly cachedTokens?: number
}

const call = (promptTokens: number, cachedTokens?: number): Counted =>
  cachedTokens === undefined ? { promptTokens } : { promptTokens, cachedTokens }

const sum = (counts: ReadonlyArray<Counted>): Counted =>
  counts.reduce<Counted>(
    (before, one) => ({ promptTokens: before.promptTokens + one.promptTokens, ...cachedTokensOf([before, one]) }),
    { promptTokens: 0 }
  )

it.each([
  ["nothing was counted", [], {}],
  ["a call without any count does not matter", [{}, call(10, 4)], { cachedTokens: 4 }],
  ["all say it", [call(10, 0), call(9, 8)], { cachedTokens: 8 }],
  ["one does not say it", [call(10, 4), call(9)], {}],
  ["none says it", [call(10), call(9)], {}]
] as const)("cachedTokensOf %s", (_, counts, expected) => {
  expect(cachedTokensOf(counts)).toEqual(expected)
})

it("cachedTokensOf adds up call by call to the same as all at once", () => {
  const told = [4, 0, 7].map((cachedTokens) => call(10, cachedTokens))
  expect(sum(told)).toEqual(call(30, 11))
  expect(sum([call(10), ...told])).toEqual(call(40))
  expect(sum([...told, call(10), ...told])).toEqual(call(70))
})

describe("the times of a server", () => {
  it("are said with a count of tokens", () => {
    expect(speedText({ answerTokens: 380, answerMs: 10_000 })).toBe(" at 38 tokens/s")
    expect(speedText({ answerTokens: 5, answerMs: 2000 })).toBe(" at 2.5 tokens/s")
    expect(loadText({ loadMs: 12_300 })).toBe(", 12.3 s to load models")
  })

  it("are left out when the server does not say them, and when nothing was loaded", () => {
    expect([speedText({ answerTokens: 380 }), speedText({ answerTokens: 0, answerMs: 10 })]).toEqual(["", ""])
    expect([loadText({ loadMs: 40 }), loadText({}), cachedText(call(10))]).toEqual(["", "", ""])
    expect(cachedText(call(10, 0))).toBe(", 0 of them from the server's cache")
  })

  it("give no speed when one call with tokens has no time", () => {
    expect(answerMsOf([{ answerTokens: 5, answerMs: 7 }, { answerTokens: 0 }])).toEqual({ answerMs: 7 })
    expect(answerMsOf([{ answerTokens: 5, answerMs: 7 }, { answerTokens: 1 }])).toEqual({})
  })
})
