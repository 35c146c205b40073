/** The sizes and distances that decide what a link is held against. */
import { assert, describe, it } from "@effect/vitest"
import { evidenceLinks, judgeLines } from "../../../src/domain/documents/Evidence.ts"
import type { FileReference } from "../../../src/domain/plan/Reference.ts"

const quoteOf = (text: string) => evidenceLinks(text)[0]?.quote
const isLine = (quoted: string) => quoteOf(`[a](a.ts#L1): ${quoted}`)?.isLine

const code = (size: number) => `\`a = ${"1".repeat(size - 4)}\``

describe("a quotation beside a link", () => {
  it("has at least four characters", () => {
    assert.isUndefined(quoteOf("[a](a.ts#L1): `abc`"))
    assert.deepStrictEqual(quoteOf("[a](a.ts#L1): `abcd`"), { text: "abcd", isLine: false })
  })

  it("is a line from 16 characters of prose on, and from 10 of code", () => {
    assert.deepStrictEqual([isLine('"one two three 4"'), isLine('"one two three 45"')], [false, true])
    assert.deepStrictEqual([isLine("`ab = 123;`"), isLine("`ab = 1234;`")], [false, true])
    assert.deepStrictEqual([isLine("`ab is 1234`"), isLine("`abcdef=12345`")], [false, false])
  })

  it("reaches 400 characters, behind the link and before it", () => {
    assert.strictEqual(quoteOf(`[a](a.ts#L1) ${code(397)}`)?.text.length, 397)
    assert.isUndefined(quoteOf(`[a](a.ts#L1) ${code(398)}`))
    assert.strictEqual(quoteOf(`${code(397)} [a](a.ts#L1)`)?.text.length, 397)
    assert.isUndefined(quoteOf(`${code(398)} [a](a.ts#L1)`))
    const beside = (size: number) => evidenceLinks(`${code(size)} is there [a](a.ts#L1)`)[0]?.beside.length
    assert.deepStrictEqual([beside(388), beside(389)], [1, 0])
  })
})

const lines = (from: number, to = from): FileReference => ({
  kind: "file",
  title: "a",
  href: `a.ts#L${from}${to === from ? "" : `-L${to}`}`,
  target: "a.ts",
  lines: { from, to }
})

const judge = (reference: FileReference, text: string, quoted: string) => {
  const quote = quoteOf(`[a](a.ts#L1): \`${quoted}\``)
  assert.isDefined(quote)
  return judgeLines(reference, text, { quote, beside: [], statement: "", wasChanged: false })
}

describe("a quotation that stands on several lines", () => {
  it("is looked for across them from 12 characters on", () => {
    assert.strictEqual(judge(lines(1), "f(a,\n  b = 1)\n", "f(a, b = 1)").wrong?.code, "evidence-quote")
    assert.deepStrictEqual(judge(lines(1), "f(a,\n  b = 12)\n", "f(a, b = 12)"), {})
  })

  it("is put together from three lines, and no more", () => {
    assert.deepStrictEqual(judge(lines(1), "call(a,\nb,\nc = 1)\n", "call(a, b, c = 1)"), {})
    const four = judge(lines(1), "call(a,\nb,\nc,\nd = 1)\n", "call(a, b, c, d = 1)")
    assert.strictEqual(four.wrong?.code, "evidence-quote")
  })

  it("begins on its first line", () => {
    assert.deepStrictEqual(judge(lines(1), "x\ncall(a,\nb = 1234)\n", "call(a, b = 1234)"), { href: "a.ts#L2" })
  })
})

const textWith = (...at: ReadonlyArray<number>) =>
  Array.from({ length: 30 }, (_, index) => (at.includes(index + 1) ? "name" : "x")).join("\n")

const judgeAlone = (reference: FileReference) =>
  judgeLines(reference, "x\nx\n", { beside: [], statement: "", wasChanged: false })

describe("a link to other lines than those of its quotation", () => {
  it("is moved to a name up to ten lines away that stands once", () => {
    assert.deepStrictEqual(judge(lines(5), textWith(15), "name"), { href: "a.ts#L15" })
    assert.deepStrictEqual(judge(lines(5), textWith(16), "name"), {})
    assert.deepStrictEqual(judge(lines(20), textWith(10), "name"), { href: "a.ts#L10" })
    assert.deepStrictEqual(judge(lines(21), textWith(10), "name"), {})
    assert.deepStrictEqual(judge(lines(5), textWith(6, 7), "name"), {})
  })

  it("is moved to the nearest of several lines that are quoted whole, however far, with as many lines", () => {
    const text = textWith(2, 25).replaceAll("name", "name = load(1)")
    assert.deepStrictEqual(judge(lines(13, 15), text, "name = load(1)"), { href: "a.ts#L2-L4" })
    assert.deepStrictEqual(judge(lines(14, 16), text, "name = load(1)"), { href: "a.ts#L25-L27" })
    assert.deepStrictEqual(judge(lines(14, 24), text, "name = load(1)"), { href: "a.ts#L25-L30" })
    assert.deepStrictEqual(judge(lines(1, 2), text, "name = load(1)"), {})
  })

  it("is cut to the lines that there are, and wrong behind them", () => {
    assert.deepStrictEqual(judgeAlone(lines(2, 2)), {})
    assert.deepStrictEqual(judgeAlone(lines(2, 3)), { href: "a.ts#L2" })
    assert.strictEqual(judgeAlone(lines(3)).wrong?.code, "evidence-lines")
  })
})
