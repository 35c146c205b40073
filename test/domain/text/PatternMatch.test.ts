import { assert, expect, it } from "@effect/vitest"
import { matches } from "../../../src/domain/text/PatternMatch.ts"

const isEnd = (text: string, boundaries: string): boolean => text === "" || boundaries.includes(text[0] ?? " ")

/** The language of patterns spelled out. It tries everything, so it is for short texts. */
const stands = (pattern: string, text: string, boundaries: string, before = "/"): boolean => {
  const standsAfterSomeOf = (run: string, rest: string): boolean =>
    Array.from({ length: run.length + 1 }, (_, taken) => text.slice(taken)).some((left) =>
      stands(rest, left, boundaries, "*")
    )
  if (pattern === "") return isEnd(text, boundaries)
  if (before === "/" && pattern.startsWith("**/") && stands(pattern.slice(3), text, boundaries)) return true
  if (pattern.startsWith("**")) return standsAfterSomeOf(text, pattern.slice(2))
  if (pattern.startsWith("*")) return standsAfterSomeOf(text.split("/")[0] ?? "", pattern.slice(1))
  const written = pattern.startsWith("\\") && pattern.length > 1 ? pattern.slice(1) : pattern
  const [literal = ""] = written
  return (
    text.startsWith(literal) && stands(written.slice(literal.length), text.slice(literal.length), boundaries, literal)
  )
}

/** All sequences of at most so many of these parts. */
const sequences = (parts: ReadonlyArray<string>, most: number): ReadonlyArray<string> =>
  most === 0 ? [""] : ["", ...sequences(parts, most - 1).flatMap((rest) => parts.map((part) => part + rest))]

const differences = (patterns: Iterable<string>, texts: Iterable<string>) => {
  const found: Array<string> = []
  let matching = 0
  for (const pattern of patterns)
    for (const text of texts)
      for (const boundaries of ["", "/"]) {
        const expected = stands(pattern, text, boundaries)
        if (expected) matching += 1
        if (matches(pattern, text, boundaries) !== expected) found.push(JSON.stringify([pattern, text, boundaries]))
      }
  return { found, matching }
}

it("knows the wildcards and the backslash in every short pattern", () => {
  const patterns = new Set(sequences(["a", "/", "*", "**", "\\"], 4))
  const texts = new Set(sequences(["a", "/", "*"], 3))
  assert.deepStrictEqual(differences(patterns, texts), { found: [], matching: 6204 })
})

it("takes everything else literally", () => {
  const special = [...".?+^$-# \n\0\u2028", "[a]", "(a|b)", "{2}", "\\\\E", "\\Q"]
  const patterns = new Set(
    ["Σ", "😀", ...special].flatMap((one) => [one, `${one}*`, `**/${one}`, `a${one}**`, `*${one}a`])
  )
  const texts = new Set(["a", "b", "aa", "x/y", ...patterns].map((one) => one.replaceAll(/\\(.)/g, "$1")))
  assert.deepStrictEqual(differences(patterns, texts), { found: [], matching: 252 })
})

it("counts a character outside of the basic plane as one, never as its halves", () => {
  const half = "\ud83d"
  assert.isTrue(matches("*😀", "a😀"))
  assert.isTrue(matches(half, half))
  assert.isFalse(matches(`${half}*`, "😀"))
})

it("takes words that every object has as themselves", () => {
  for (const word of ["__proto__", "constructor", "toString", "valueOf"]) {
    assert.deepStrictEqual([word, matches(word, word), matches(`**/${word}`, `a/${word}`)], [word, true, true])
  }
})

it("takes any of the boundaries for the end", () => {
  const texts = ["a.b/c", "a.b?c", "a.b#c", "a.b c", "a.b", "a.bc", "a.b]c"]
  expect(texts.filter((text) => matches("*.b", text, "/?# "))).toStrictEqual(texts.slice(0, 5))
})
