import { describe, expect, it } from "@effect/vitest"
import * as Option from "effect/Option"
import { countLines, joinRanges, takeLines } from "../../../src/domain/text/LineRange.ts"

describe("takeLines", () => {
  it("takes lines inclusively and stops at the end of the text", () => {
    const text = "1\r\n2\n3\n"
    expect(takeLines(text, { from: 1, to: 2 })).toEqual(Option.some("1\r\n2"))
    expect(takeLines(text, { from: 3, to: 9 })).toEqual(Option.some("3"))
  })

  it("gives nothing for a range outside of the text or the wrong way round", () => {
    const ranges = [
      { from: 0, to: 1 },
      { from: 4, to: 5 },
      { from: 2, to: 1 }
    ]
    expect(ranges.map((range) => takeLines("1\n2\n3\n", range))).toEqual(ranges.map(() => Option.none()))
    expect(takeLines("", { from: 1, to: 1 })).toEqual(Option.none())
  })
})

describe("countLines", () => {
  it("does not count the line end at the end as a line", () => {
    expect(["", "a", "a\n", "a\n\n", "a\nb"].map(countLines)).toEqual([0, 1, 1, 2, 2])
  })
})

it("joins ranges that overlap or follow each other, in order", () => {
  const ranges = [
    { from: 9, to: 12 },
    { from: 1, to: 3 },
    { from: 4, to: 5 },
    { from: 2, to: 2 }
  ]
  expect(joinRanges(ranges)).toEqual([
    { from: 1, to: 5 },
    { from: 9, to: 12 }
  ])
  expect(joinRanges([])).toEqual([])
})
