/**
 * The weights and limits by which lines match what a task looks for: on each side of every one of them the choice is another.
 */
import { assert, describe, it } from "@effect/vitest"
import { declarationsOf } from "../../../src/domain/files/Declarations.ts"
import { matchingLines, type SearchTerms, searchTermsOf, textsOf } from "../../../src/domain/excerpts/SearchTerms.ts"

const noTerms: SearchTerms = { literals: [], names: [], words: [] }
const letters = "abcdefghijklmnopqrstuvwxyz"

/** Distinct words without a common beginning. */
const words = (count: number, mark = "q"): ReadonlyArray<string> =>
  Array.from(
    { length: count },
    (_, index) => `${letters[index % 26]}${letters[Math.floor(index / 26)]}${mark.repeat(3)}`
  )

const known = (given: Partial<Parameters<typeof matchingLines>[1]>) => ({
  declarations: [],
  comments: new Set<number>(),
  inImports: new Set<number>(),
  ...given
})

/** The lines that match; each line is a block. */
const matchesAmong = (lines: ReadonlyArray<string>, given: Parameters<typeof known>[0], terms: Partial<SearchTerms>) =>
  matchingLines(lines, known(given), { ...noTerms, ...terms }, (index) => ({ from: index + 1, to: index + 1 }))

const matches = (lines: ReadonlyArray<string>, terms: Partial<SearchTerms>, comments: ReadonlyArray<number> = []) =>
  matchesAmong(lines, { comments: new Set(comments) }, terms)

/** The lines of the blocks. */
const blockLines = (...given: Parameters<typeof matches>) =>
  matches(...given).blocks.flatMap(({ matchedLines }) => matchedLines)

/** Whether a text holds a word. */
const linesWith = (word: string, text: string) => blockLines(["else", text, "else"], { words: [word] })

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

it("the terms of a task count half when only the prompt names them, and half when they are code without quotes", () => {
  assert.deepStrictEqual(searchTermsOf("Change `alpha` and fooBar.", "See `beta`.").names, [
    { text: "alpha", weight: 1 },
    { text: "fooBar", weight: 0.5 },
    { text: "beta", weight: 0.5 }
  ])
})

it("the terms of a task are at most 30 names and 60 words", () => {
  const quoted = words(31).map((word) => `\`${word}\``)
  assert.lengthOf(searchTermsOf(quoted.join(" ")).names, 30)
  assert.lengthOf(searchTermsOf(words(61).join(" ")).words, 60)
})

describe("the lines that match", () => {
  it("are meant by a quoted text that stands in at most 6 of them", () => {
    const literals = [{ text: "no such file", weight: 1 }]
    const lines = Array.from({ length: 7 }, () => "no such file")
    const meant = [lines.slice(1), lines].map((some) => matches(some, { literals }).meant.length)
    assert.deepStrictEqual(meant, [6, 0])
  })

  it("are at most 300", () => {
    const lines = Array.from({ length: 1000 }, (_, index) => (index <= 300 ? "the limit" : "else"))
    assert.lengthOf(blockLines(lines, { words: ["limit"] }), 300)
  })

  it("hold a word, or its stem of at least 5 characters", () => {
    assert.deepStrictEqual(linesWith("checking", "a check fails"), [1])
    assert.deepStrictEqual(linesWith("loading", "a load fails"), [])
    assert.deepStrictEqual(linesWith("loading", "loading fails"), [1])
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

const code = [
  "class Shop {",
  "  sell() {",
  '    print("no tea left")',
  "  }",
  "  buy() {",
  "    sell()",
  "  }",
  "}",
  "class Cafe {",
  "  sell() {",
  "  }",
  "}",
  "// sell more",
  ...Array.from({ length: 20 }, (_, index) => `x${index}()`)
]

/** The lines that are meant, the best first. */
const meantIn = (terms: Partial<SearchTerms>): ReadonlyArray<number> =>
  matchesAmong(code, { declarations: declarationsOf(code, "typescript"), comments: new Set([12]) }, terms).meant.map(
    (index) => index + 1
  )

const literal = (weight: number) => [{ text: "no tea left", weight }]
const name = (text: string, weight: number) => [{ text, weight }]

const literalAndName = (ofLiteral: number, ofName: number) =>
  meantIn({ literals: literal(ofLiteral), names: name("Cafe", ofName) })

describe("the best of the lines that are meant", () => {
  it("is one with a quoted text (12) or a declaration (10), and its uses (3) count beside", () => {
    // A declaration that is used once more: 10 and 3 for the one line that holds the name, less the rarer it is.
    assert.deepStrictEqual(literalAndName(1, 0.91), [3, 9])
    assert.deepStrictEqual(literalAndName(1, 0.93), [9, 3])
    assert.deepStrictEqual(literalAndName(0.9, 0.84), [9, 3])
    assert.deepStrictEqual(literalAndName(0.92, 0.84), [3, 9])
  })

  it("counts 8 more for a declaration around a quoted text", () => {
    const compare = (ofLiteral: number) =>
      meantIn({ literals: literal(ofLiteral), names: [...name("Cafe", 1), ...name("buy", 0.01), ...name("Shop", 0.6)] })
    // Shop: 0.6 * (10 + 8 + 3) = 12.6, Cafe: 13.
    assert.deepStrictEqual(compare(0.1).slice(0, 2), [9, 1])
    const more = meantIn({ literals: literal(0.1), names: [...name("Cafe", 1), ...name("Shop", 0.63)] })
    assert.deepStrictEqual(more.slice(0, 2), [1, 9])
  })

  it("shares a declaration by those of its name, with 5 more inside of one that is named", () => {
    assert.deepStrictEqual(meantIn({ names: name("sell", 1) }), [2, 10])
    assert.deepStrictEqual(meantIn({ names: [...name("sell", 1), ...name("Cafe", 0.1)] }), [10, 2, 9])
    // In Cafe: 10 / 2 + 5 and the uses, which are worth 3 * 0.38.
    const beside = (weight: number) => meantIn({ names: [...name("sell", 1), ...name("Cafe", weight)] }).slice(0, 2)
    assert.deepStrictEqual(beside(0.84), [10, 2].with(1, 9))
    assert.deepStrictEqual(beside(0.87), [9, 10])
  })
})

/** The best line for a quoted text and a name of this weight, which line 4 declares. */
const bestOf = (lines: ReadonlyArray<string>, weight: number, comments: ReadonlyArray<number> = []) =>
  matchesAmong(
    lines,
    { declarations: [{ name: "sell", index: 4, depth: 0 }], comments: new Set(comments) },
    { literals: [{ text: "tea left", weight: 1 }], names: [{ text: "sell", weight }] }
  ).meant[0]

describe("the lines with a quoted text", () => {
  const texts = ['say("No tea left")', "// no tea left", 'log("no tea left")', "// no rice left", "x"]
  const meant = (text: string, names: ReadonlyArray<string> = []) =>
    matches(texts, { literals: [{ text, weight: 1 }], names: names.map((one) => ({ text: one, weight: 1 })) }, [1, 3])
      .meant

  it("are those of code, in any case where none has it as it is, and those of comments alone", () => {
    assert.deepStrictEqual([meant("no tea left"), meant("No tea left"), meant("NO TEA LEFT")], [[2], [0], [0, 2]])
    assert.deepStrictEqual([meant("no rice left"), meant("no such text")], [[3], []])
  })

  it("share what the text is worth", () => {
    // The declaration is worth 13, the text 12, or 6 for each of two lines.
    const single = ["tea left", "", "", "", "sell"]
    assert.deepStrictEqual([bestOf(single, 0.91), bestOf(single, 0.94)], [0, 4])
    const double = ["tea left", "tea left", "", "", "sell"]
    assert.deepStrictEqual([bestOf(double, 0.45), bestOf(double, 0.48)], [0, 4])
  })

  it("count less in a comment than a use in code", () => {
    const comment = ["// tea left", "x", "x", "x", "sell"]
    assert.deepStrictEqual([bestOf(comment, 0.26, [0]), bestOf(comment, 0.29, [0])], [0, 4])
  })
})

describe("the terms of a text", () => {
  it("are strings that it quotes, names in backticks or by their form, and words", () => {
    const all = searchTermsOf(
      'Let `Shop.sell(tea)` say "no tea left" as `Cafe` does in src/shop.ts, not fooBar() or tea_pot.'
    )
    assert.deepStrictEqual(all.literals, [{ text: "no tea left", weight: 1 }])
    assert.deepStrictEqual(all.names, [
      { text: "sell", weight: 1 },
      { text: "Cafe", weight: 1 },
      { text: "Shop", weight: 0.5 },
      { text: "fooBar", weight: 0.5 },
      { text: "tea_pot", weight: 0.5 }
    ])
    assert.deepStrictEqual(textsOf(all).slice(0, 4), ["no tea left", "sell", "cafe", "shop"])
  })

  it("have at least two characters", () => {
    assert.deepStrictEqual(searchTermsOf("`ab`").names, [{ text: "ab", weight: 1 }])
    assert.deepStrictEqual(searchTermsOf("` a `"), { literals: [], names: [], words: [] })
  })

  it("are no paths, and no single characters", () => {
    const { literals, names } = searchTermsOf('`src/a.ts` `a.ts` "ab" `a.b`')
    assert.deepStrictEqual([literals, names], [[], []])
  })

  it("keep the larger weight of a name that comes twice", () => {
    assert.deepStrictEqual(searchTermsOf("fooBar", "`fooBar` and `Shop.fooBar`").names, [
      { text: "fooBar", weight: 0.5 },
      { text: "Shop", weight: 0.25 }
    ])
    assert.deepStrictEqual(searchTermsOf("`fooBar`", "fooBar").names, [{ text: "fooBar", weight: 1 }])
  })
})
