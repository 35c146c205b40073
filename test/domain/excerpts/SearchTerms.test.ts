/**
 * The weights and limits by which lines match what a task looks for: on each side of every one of them the choice is another.
 */
import { assert, describe, it } from "@effect/vitest"
import { matchingLines, type SearchTerms, searchTermsOf } from "../../../src/domain/excerpts/SearchTerms.ts"

const noTerms: SearchTerms = { literals: [], names: [], words: [] }
const letters = "abcdefghijklmnopqrstuvwxyz"

/** Distinct words without a common beginning. */
const words = (count: number, mark = "q"): ReadonlyArray<string> =>
  Array.from(
    { length: count },
    (_, index) => `${letters[index % 26]}${letters[Math.floor(index / 26)]}${mark.repeat(3)}`
  )

const matches = (lines: ReadonlyArray<string>, terms: Partial<SearchTerms>, comments: ReadonlyArray<number> = []) =>
  matchingLines(lines, [], new Set(comments), { ...noTerms, ...terms }, (index) => ({ from: index + 1, to: index + 1 }))

/** The lines of the blocks, each line a block. */
const blockLines = (...given: Parameters<typeof matches>) => matches(...given).blocks.flatMap(({ found }) => found)

/** So many lines: one with a quoted text, and two with a word. */
const linesBeside = (count: number): ReadonlyArray<string> => [
  "no such file",
  "limit",
  "limit",
  ...Array.from({ length: count - 3 }, () => "")
]

/** A line with so many words that only it has, and one with so many others. */
const twoLines = (first: number, second: number) => {
  const [own, other] = [words(first, "q"), words(second, "z")]
  return { lines: [own.join(" "), other.join(" ")], words: [...own, ...other] }
}

describe("the terms of a task", () => {
  it("count half when only the prompt names them, and half when they are code without quotes", () => {
    assert.deepStrictEqual(searchTermsOf("Change `alpha` and fooBar.", "See `beta`.").names, [
      { text: "alpha", weight: 1 },
      { text: "fooBar", weight: 0.5 },
      { text: "beta", weight: 0.5 }
    ])
  })

  it("are at most 30 names and 60 words", () => {
    const { names } = searchTermsOf(
      words(31)
        .map((word) => `\`${word}\``)
        .join(" ")
    )
    assert.lengthOf(names, 30)
    assert.lengthOf(searchTermsOf(words(61).join(" ")).words, 60)
  })
})

describe("the lines that match", () => {
  it("are meant by a quoted text that stands in at most 6 of them", () => {
    const literals = [{ text: "no such file", weight: 1 }]
    assert.lengthOf(
      matches(
        Array.from({ length: 6 }, () => "no such file"),
        { literals }
      ).meant,
      6
    )
    assert.lengthOf(
      matches(
        Array.from({ length: 7 }, () => "no such file"),
        { literals }
      ).meant,
      0
    )
  })

  it("are at most 300", () => {
    const lines = Array.from({ length: 1000 }, (_, index) => (index <= 300 ? "the limit" : "else"))
    assert.lengthOf(blockLines(lines, { words: ["limit"] }), 300)
  })

  it("make a block from 40 % of the best one on", () => {
    const near = twoLines(5, 2)
    assert.deepStrictEqual(blockLines(near.lines, near), [0, 1])
    const far = twoLines(8, 3)
    assert.deepStrictEqual(blockLines(far.lines, far), [0])
  })

  it("count 30 % in a comment", () => {
    const more = twoLines(5, 7)
    assert.deepStrictEqual(blockLines(more.lines, more, [1]), [0, 1])
    const fewer = twoLines(5, 6)
    assert.deepStrictEqual(blockLines(fewer.lines, fewer, [1]), [0])
  })

  it("have at least half a word beside a place that is meant", () => {
    const terms = { literals: [{ text: "no such file", weight: 1 }], words: ["limit"] }
    assert.deepStrictEqual(blockLines(linesBeside(10), terms), [1, 2])
    assert.deepStrictEqual(blockLines(linesBeside(9), terms), [])
  })
})
