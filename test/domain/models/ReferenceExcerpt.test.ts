import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { excerptOf, type ExcerptSource, wordsOf } from "../../../src/domain/models/ReferenceExcerpt.ts"

const gap = (from: number, to: number): string => `(${from + 1} to ${to + 1} left out)`
const material = (lines: ReadonlyArray<string>, language = "typescript"): ExcerptSource => ({
  lines,
  language,
  first: 1,
  gap
})

/** The numbers of the lines that a fitted text shows or says to leave out, in order. */
const accounted = (text: string): ReadonlyArray<number> =>
  text.split("\n").flatMap((line) => {
    const [, from, to] = /^\((\d+) to (\d+) left out\)$/.exec(line) ?? []
    if (from !== undefined) return Array.from({ length: Number(to) - Number(from) + 1 }, (_, at) => Number(from) + at)
    return /^(\d+):/.exec(line)?.[1] === undefined ? [] : [Number(/^(\d+):/.exec(line)?.[1])]
  })

const awkward = [
  "",
  "}",
  "export function load() {",
  "  return config",
  "# Title",
  "```",
  "- item\r",
  "日本語 🍵",
  "🍵x".repeat(450)
]
const Line = Schema.Union([Schema.Literals(awkward), Schema.String.check(Schema.isPattern(/^[^\n]*$/))])
const Lines = Schema.Array(Line).check(Schema.isMaxLength(120))
const Language = Schema.Literals(["typescript", "python", "markdown", "page", "text", "json", ""])
const Limit = Schema.Int.check(Schema.isBetween({ minimum: 60, maximum: 4000 }))

describe("excerptOf", () => {
  it.effect.prop(
    "never exceeds the budget, cuts nothing that fits, and accounts for every line",
    { lines: Lines, language: Language, limit: Limit, words: Schema.String },
    ({ language, limit, lines, words }) =>
      Effect.sync(() => {
        const { isWhole, shown, text } = excerptOf(material(lines, language), wordsOf(words), limit)
        const whole = excerptOf(material(lines, language), [], Number.MAX_SAFE_INTEGER)
        expect(text.length).toBeLessThanOrEqual(limit)
        expect(isWhole).toBe(whole.text.length <= limit)
        if (isWhole) expect(text).toBe(whole.text)
        else expect(accounted(text)).toEqual(lines.map((_, index) => index + 1))
        expect(shown).toBeLessThanOrEqual(lines.length)
        if (lines.every((line) => line.isWellFormed())) expect(text.isWellFormed()).toBe(true)
      })
  )

  it("shows the outline and the block that holds the words", () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => {
      if (index % 10 === 0) return `export function part${index / 10}() {`
      return index % 10 === 9 ? "}" : `  step(${index})`
    })
    const { shown, text } = excerptOf(material(lines), wordsOf("Change step(12345) in part1234"), 3000)
    expect(text).toContain("12341: export function part1234() {\n")
    expect(text).toContain("12346:   step(12345)\n")
    expect(text).toContain("12350: }\n")
    expect(text).toMatch(/\d+: export function part\d+\(\) \{\n\(\d+ to \d+ left out\)\n\d+: export function/)
    expect(shown).toBeGreaterThan(20)
  })

  it("shows the declaration of a name before lines that hold more of the words", () => {
    const other = Array.from(
      { length: 60 },
      (_, index) => `const other${index} = "awaitProducers waits for tasks that a task refers to"`
    )
    const lines = [...other, "const awaitProducers = (tasks) =>", "  tasks.map(wait)", ...other]
    const source = { lines, language: "typescript", gap: (from: number, to: number) => `(${from}-${to})` }
    const words = wordsOf("Explain how `awaitProducers` waits for the tasks that a task refers to.")
    expect(excerptOf(source, words, 300).text).toContain("const awaitProducers")
  })

  it("shows what a file imports before its outline", () => {
    const lines = [
      ...Array.from({ length: 10 }, (_, index) => `// A word about it, line ${index}.`),
      'import fs from "node:fs"',
      "import {",
      "  one,",
      "  two",
      '} from "./numbers.ts"',
      ...Array.from({ length: 300 }, (_, index) => `export function part${index}() {\n  step()\n}`)
        .join("\n")
        .split("\n")
    ]
    const { text } = excerptOf(material(lines), wordsOf("Change part250"), 1500)
    expect(text).toContain(
      '11: import fs from "node:fs"\n12: import {\n13:   one,\n14:   two\n15: } from "./numbers.ts"\n'
    )
    expect(text).toContain("export function part250() {")
  })

  it("shows a long line around the word that it holds", () => {
    const line = `${"a".repeat(5000)} teapot ${"b".repeat(5000)}`
    const { text } = excerptOf(material([line], "json"), wordsOf("Find the teapot"), 700)
    expect(text).toContain(" teapot ")
    expect(text).toContain("(10008 characters)")
    expect(text.length).toBeLessThanOrEqual(700)
  })

  it("shows what is hidden when a note would be as long", () => {
    const lines = ["export function a() {", "", "export function b() {", ...Array(50).fill(`  ${"x".repeat(50)}`)]
    expect(excerptOf(material(lines), [], 200).text).toMatch(/^1: export function a\(\) \{\n2:\n3: export function b/)
  })

  it("has the headings of a document with fences in its outline, and not what they quote", () => {
    const body = `${"text ".repeat(60)}`
    const lines = ["# One", body, "````md", "```", "# Quoted", "```", "````", body, "## Two", body, "## Three", body]
    const { text } = excerptOf(material(lines, "markdown"), [], 250)
    expect(text).toContain("1: # One")
    expect(text).toContain("9: ## Two")
    expect(text).toContain("11: ## Three")
    expect(text).not.toContain("# Quoted")
  })

  it("gives an empty text as it is", () => {
    expect(excerptOf(material([]), [], 10)).toEqual({ text: "", shown: 0, isWhole: true })
  })
})
