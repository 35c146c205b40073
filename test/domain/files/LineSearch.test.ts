import { describe, expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { findMatches, searchPattern, showMatches } from "../../../src/domain/files/LineSearch.ts"

const patternOf = (text: string, options: Partial<{ regex: boolean; caseSensitive: boolean }> = {}) =>
  Result.getOrThrow(searchPattern(text, { regex: false, caseSensitive: false, ...options }))

describe("a pattern", () => {
  it("is a text or an expression, with or without its letter case", () => {
    for (const regex of [false, true]) {
      expect(patternOf("One", { regex }).find("a ONE")).toBe(2)
      expect(patternOf("One", { regex, caseSensitive: true }).find("a ONE")).toBe(-1)
      expect(patternOf("One", { regex, caseSensitive: true }).find("a One")).toBe(2)
    }
    expect(patternOf("a.c").find("abc a.c")).toBe(4)
    expect(patternOf("a.c", { regex: true }).find("abc a.c")).toBe(0)
  })

  it("searches fewer characters at once the more steps it has", () => {
    expect(patternOf("a").charactersAtOnce).toBe(10_000_000)
    const [short, long] = ["a", "a{100}"].map((text) => patternOf(text, { regex: true }).charactersAtOnce)
    expect(short).toBeGreaterThan(100_000)
    expect(short).toBeGreaterThan(20 * (long ?? 0))
  })

  it("that cannot be used says where it is wrong", () => {
    const fault = Result.getOrThrow(Result.flip(searchPattern("a(", { regex: true, caseSensitive: false })))
    expect(fault).toMatch(/^missing closing \): `a\(`$/)
  })
})

describe("the lines that match", () => {
  const lines = ["one", "two", "tone", "one"]
  const found = (from: number, wanted: number, charactersAtOnce = 100) => {
    const { matches: all, next } = findMatches(lines, { ...patternOf("one"), charactersAtOnce }, from, wanted)
    return `${all.map(({ at, index }) => `${index}:${at}`).join(" ")}, then ${next}`
  }

  it("are as many as are wanted, from a line on", () => {
    expect([found(0, 10), found(0, 2)]).toEqual(["0:0 2:1 3:0, then 4", "0:0 2:1, then 3"])
    expect([found(1, 1), found(4, 1)]).toEqual(["2:1, then 3", ", then 4"])
  })

  it("are searched for in so many characters, with a line end for each line", () => {
    expect([found(0, 10, 4), found(0, 10, 5)]).toEqual(["0:0, then 1", "0:0, then 2"])
    // Of a longer line the beginning is searched.
    expect(found(2, 10, 3)).toBe(", then 3")
  })
})

const line = (length: number) => `${"a".repeat(length - 1)}z`

describe("matches as they are shown", () => {
  const lines = ["a", "b", "c", "d", "e", "f", "g"]
  const shown = (context: number, ...indexes: ReadonlyArray<number>) =>
    showMatches(
      "x",
      lines,
      indexes.map((index) => ({ index, at: 0 })),
      context
    )

  it("stand with the lines around them, each once, and marks where lines are left out", () => {
    expect(shown(0, 0, 6)).toEqual(["x:1: a", "x:7: g"])
    expect(shown(1, 0, 1)).toEqual(["x:1: a", "x:2: b", "3: c"])
    expect(shown(1, 1, 4)).toEqual(["1: a", "x:2: b", "3: c", "4: d", "x:5: e", "6: f"])
    expect(shown(1, 1, 5)).toEqual(["1: a", "x:2: b", "3: c", "--", "5: e", "x:6: f", "7: g"])
  })

  it("are cut around the match above 300 characters", () => {
    const of = (length: number, at: number) => showMatches("x", [line(length)], [{ index: 0, at }], 0)[0]
    expect(of(300, 299)).toBe(`x:1: ${line(300)}`)
    expect(of(301, 0)).toBe(`x:1: ${"a".repeat(300)}... (of 301 characters)`)
    expect(of(1000, 101)).toBe(`x:1: ...${"a".repeat(300)}... (of 1000 characters)`)
    expect(of(1000, 100)).toBe(`x:1: ${"a".repeat(300)}... (of 1000 characters)`)
    expect(of(1000, 999)).toBe(`x:1: ...${line(101)} (of 1000 characters)`)
    expect(of(1000, 800)).toBe(`x:1: ...${line(300)} (of 1000 characters)`)
  })
})
