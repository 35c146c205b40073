import { expect, it } from "@effect/vitest"
import { mergeTexts } from "../../../src/domain/files/TextMerge.ts"

const base = "one\ntwo\nthree\nfour\nfive\n"

it("takes what only one side changed, wherever the other one changed something", () => {
  expect(mergeTexts(base, base.replace("one", "ONE"), base.replace("five\n", ""))).toEqual({
    text: "ONE\ntwo\nthree\nfour\n",
    clashes: []
  })
  expect(mergeTexts(base, base, `zero\n${base}six`)).toEqual({ text: `zero\n${base}six`, clashes: [] })
})

it("takes a change once that both made", () => {
  const both = base.replace("two", "2")
  expect(mergeTexts(base, both, both.replace("five", "5"))).toEqual({ text: both.replace("five", "5"), clashes: [] })
})

it("names lines that both changed, and keeps those of the other side", () => {
  const mine = base.replace("two", "mine").replace("five", "5")
  expect(mergeTexts(base, mine, `zero\n${base.replace("two", "theirs")}`)).toEqual({
    text: "zero\none\ntheirs\nthree\nfour\n5\n",
    clashes: [{ line: 3, theirs: "theirs\n", base: "two\n", mine: "mine\n" }]
  })
})

it("takes two new files for a clash unless they are the same", () => {
  expect(mergeTexts("", "a\n", "a\n").clashes).toEqual([])
  expect(mergeTexts("", "a\n", "b\n").clashes).toEqual([{ line: 1, theirs: "b\n", base: "", mine: "a\n" }])
})

it("keeps line ends and a last line without one", () => {
  expect(mergeTexts("a\r\nb\r\nc", "a\r\nb\r\nC", "A\r\nb\r\nc").text).toBe("A\r\nb\r\nC")
})

it("takes changes of adjacent lines for a clash, and no others", () => {
  const clashes = ["three", "four"].map(
    (word) => mergeTexts(base, base.replace("two", "2"), base.replace(word, "x")).clashes
  )
  expect(clashes.map(({ length }) => length)).toEqual([1, 0])
})
