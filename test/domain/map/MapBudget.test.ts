import { describe, expect, it } from "@effect/vitest"
import { mapRoom, mapTokens } from "../../../src/domain/map/ProjectMap.ts"

describe("mapTokens", () => {
  it.each([
    [0, 0],
    [1024, 0],
    [2048, 0],
    [3072, 75],
    [4096, 150],
    [8192, 320],
    [32_768, 1200],
    [131_072, 2400],
    [1_000_000, 2400]
  ])("gives a window of %i tokens %i", (window, tokens) => {
    expect(mapTokens(window)).toBe(tokens)
  })

  it("grows with the window", () => {
    const sizes = Array.from({ length: 200 }, (_, index) => mapRoom(index * 1000))
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
  })
})
