import { describe, expect, it } from "@effect/vitest"
import { cutAtParagraph, firstLines, usefulShares } from "../../../src/domain/text/Excerpt.ts"

describe("cutAtParagraph", () => {
  it("leaves a text that fits as it is", () => {
    expect(cutAtParagraph("one\n\ntwo", 8)).toEqual({ text: "one\n\ntwo", omittedCharacters: 0 })
  })

  it("ends with the last whole paragraph", () => {
    expect(cutAtParagraph("one\n\ntwo\ntwo\n\nthree", 14)).toEqual({ text: "one\n\ntwo\ntwo", omittedCharacters: 7 })
  })

  it("does not end inside a fence", () => {
    expect(cutAtParagraph("one\n\n```\ncode\n\nmore code\n```\n\ntwo", 20)).toEqual({
      text: "one",
      omittedCharacters: 30
    })
  })

  it("ends with the last whole line when not one paragraph fits", () => {
    expect(cutAtParagraph("first line\nsecond line", 15)).toEqual({ text: "first line", omittedCharacters: 12 })
  })

  it("does not cut a character in two", () => {
    expect(cutAtParagraph("ab\u{1F600}cd", 3)).toEqual({ text: "ab", omittedCharacters: 4 })
  })
})

describe("firstLines", () => {
  it("counts the lines that are left out", () => {
    expect(firstLines("1\n2\n3\n", 2)).toEqual({ text: "1\n2\n", omittedLines: 1 })
    expect(firstLines("1\n2", 2)).toEqual({ text: "1\n2", omittedLines: 0 })
    expect(firstLines("", 2)).toEqual({ text: "", omittedLines: 0 })
  })
})

it("gives the last of several long texts nothing, where all would have too little, and short ones all", () => {
  const least = [400, 400, 400, 400]
  expect(usefulShares([5000, 60, 5000, 5000], 900, least)).toEqual([420, 60, 420, 0])
  expect(usefulShares([5000, 60, 5000, 5000], 300, least)).toEqual([240, 60, 0, 0])
  expect(usefulShares([5000, 5000], 2000, least)).toEqual([1000, 1000])
})
