import { describe, expect, it } from "@effect/vitest"
import {
  type TokenCounts,
  learn,
  learnRefused,
  noHistory,
  scaleOf,
  type TokenCount
} from "../../../src/domain/models/TokenCounts.ts"

const window = 8192
let next = 0
/** A prompt that shares nothing with another one. */
const textOf = (length: number): string => `${next++} `.repeat(length).slice(0, length)

const count = (characters: number, counted: number, given: Partial<TokenCount> = {}): TokenCount => ({
  prompt: textOf(characters),
  counted,
  isWhole: false,
  window,
  ...given
})

const after = (counts: ReadonlyArray<TokenCount>): TokenCounts =>
  counts.reduce((history, one) => learn(history, one).history, noHistory)

const verdict = (before: ReadonlyArray<TokenCount>, last: TokenCount) => learn(after(before), last).verdict

describe("the scale", () => {
  it("assumes four characters a token with a margin until a count is known", () => {
    expect(scaleOf(noHistory)).toEqual({ charactersPerToken: 4, margin: 1.15 })
    expect(scaleOf(after([count(500, 400)]))).toEqual(scaleOf(noHistory))
  })

  it("follows texts with a token for each character, and a refusal at once", () => {
    expect(scaleOf(after([count(4000, 3200), count(4000, 3300)])).charactersPerToken).toBeCloseTo(1.25, 1)
    const known = after([count(8000, 2000), count(8000, 2000), count(8000, 2000)])
    const { charactersPerToken } = scaleOf(learnRefused(known, { prompt: textOf(9000), counted: 9000 }))
    expect(charactersPerToken).toBe(1)
  })

  it("follows the middle of prompts that differ", () => {
    const counts = [3, 5, 3.2, 4.8, 4].map((ratio) => count(10_000, Math.round(10_000 / ratio), { isWhole: true }))
    expect(scaleOf(after(counts)).charactersPerToken).toBeCloseTo(4, 2)
    const equal = scaleOf(after([3000, 7000, 12_000].map((size) => count(size, Math.round(size / 2.5)))))
    expect([equal.charactersPerToken.toFixed(2), equal.margin]).toEqual(["2.50", 1.05])
  })

  it("stays below six, and does not learn from counts without the cached part", () => {
    expect(scaleOf(after([count(9000, 1200)]))).toEqual(scaleOf(noHistory))
    const cached = [count(9000, 2250), count(9000, 1600), count(9000, 600), count(9000, 1)]
    expect(scaleOf(after(cached)).charactersPerToken).toBe(4)
  })

  it("gets over a first count without the cached part", () => {
    const counts = [count(9000, 1520), ...[1, 2, 3, 4].map(() => count(9000, 2250))]
    expect(scaleOf(after(counts)).charactersPerToken).toBe(4)
  })
})

describe("a count", () => {
  const known = [count(8000, 2000), count(8000, 2000)]

  it("is an overflow at the edge of the window", () => {
    expect(verdict([], count(20_000, 8192))).toBe("overflow")
    expect(verdict(known, count(20_000, 8160))).toBe("overflow")
    expect(verdict(known, count(20_000, 7000))).toBe("plausible")
  })

  it("is an overflow at half of the window, when the prompt is larger", () => {
    expect(verdict(known, count(22_000, 4098))).toBe("overflow")
    expect(verdict([], count(26_000, 4098))).toBe("overflow")
    expect(verdict(known, count(16_392, 4098))).toBe("plausible")
    expect(verdict(known, count(22_000, 5400))).toBe("plausible")
  })

  it("is an overflow when it is far too small on a server that counts whole prompts", () => {
    expect(verdict([...known, count(8000, 2000, { isWhole: true })], count(20_000, 2050))).toBe("overflow")
    expect(verdict(known, count(20_000, 1900, { isWhole: true }))).toBe("overflow")
    const shared = textOf(9000)
    const repeated = ["a", "b"].map((end) => count(0, 2250, { prompt: shared + end }))
    expect(verdict(repeated, count(20_000, 1900))).toBe("overflow")
  })

  it("is unclear when the cache may explain it, until the same half of a window comes twice", () => {
    expect(verdict(known, count(20_000, 2050))).toBe("unclear")
    expect(verdict([], count(20_000, 2050))).toBe("unclear")
    expect(verdict([...known, count(20_000, 2050)], count(18_000, 2050))).toBe("overflow")
    expect(verdict([...known, count(20_000, 1900)], count(18_000, 1900))).toBe("unclear")
    const again = textOf(20_000)
    const same = count(0, 2050, { prompt: again })
    expect(verdict([...known, same], same)).toBe("unclear")
  })

  it("is plausible when it is too small for any window: only a cache explains it", () => {
    expect(verdict(known, count(20_000, 26))).toBe("plausible")
  })

  it("is plausible for a short prompt, whatever it is", () => {
    for (const counted of [0, 1, 500, 4098, 8192]) expect(verdict(known, count(1999, counted))).toBe("plausible")
  })
})
