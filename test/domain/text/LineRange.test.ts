import { expect, it } from "@effect/vitest"
import * as Option from "effect/Option"
import { countLines, joinRanges, type LineRange, takeLines } from "../../../src/domain/text/LineRange.ts"

const range = (from: number, to: number): LineRange => ({ from, to })

it.each<[text: string, range: LineRange, taken: string | undefined]>([
  ["1\r\n2\n3\n", range(1, 2), "1\r\n2"],
  ["1\r\n2\n3\n", range(3, 9), "3"],
  ["1\n2\n3\n", range(0, 1), undefined],
  ["1\n2\n3\n", range(4, 5), undefined],
  ["1\n2\n3\n", range(2, 1), undefined],
  ["", range(1, 1), undefined]
])("of %j the lines %j are taken inclusively, up to the end of the text", (text, lines, taken) => {
  expect(takeLines(text, lines)).toEqual(Option.fromUndefinedOr(taken))
})

it("does not count the line end at the end as a line", () => {
  expect(["", "a", "a\n", "a\n\n", "a\nb"].map(countLines)).toEqual([0, 1, 1, 2, 2])
})

it("joins ranges that overlap or follow each other, in order", () => {
  expect(joinRanges([range(9, 12), range(1, 3), range(4, 5), range(2, 2)])).toEqual([range(1, 5), range(9, 12)])
  expect(joinRanges([])).toEqual([])
})
