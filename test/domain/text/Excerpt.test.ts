import { expect, it } from "@effect/vitest"
import { cutAtParagraph, firstLines, usefulShares } from "../../../src/domain/text/Excerpt.ts"

it.each<[what: string, text: string, most: number, shown: string, omitted: number]>([
  ["whole where it fits", "one\n\ntwo", 8, "one\n\ntwo", 0],
  ["with the last whole paragraph", "one\n\ntwo\ntwo\n\nthree", 14, "one\n\ntwo\ntwo", 7],
  ["not inside a fence", "one\n\n```\ncode\n\nmore code\n```\n\ntwo", 20, "one", 30],
  ["with the last whole line where not one paragraph fits", "first line\nsecond line", 15, "first line", 12],
  ["not in the middle of a character", "ab\u{1F600}cd", 3, "ab", 4]
])("a text that is cut ends %s", (_, text, most, shown, omittedCharacters) => {
  expect(cutAtParagraph(text, most)).toEqual({ text: shown, omittedCharacters })
})

it("counts the lines that are left out behind the first ones", () => {
  expect(firstLines("1\n2\n3\n", 2)).toEqual({ text: "1\n2\n", omittedLines: 1 })
  expect(firstLines("1\n2", 2)).toEqual({ text: "1\n2", omittedLines: 0 })
  expect(firstLines("", 2)).toEqual({ text: "", omittedLines: 0 })
})

it("gives the last of several long texts nothing, where all would have too little, and short ones all", () => {
  const least = [400, 400, 400, 400]
  expect(usefulShares([5000, 60, 5000, 5000], 900, least)).toEqual([420, 60, 420, 0])
  expect(usefulShares([5000, 60, 5000, 5000], 300, least)).toEqual([240, 60, 0, 0])
  expect(usefulShares([5000, 5000], 2000, least)).toEqual([1000, 1000])
})
