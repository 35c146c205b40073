import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { excerptOf, type ExcerptSource } from "../../../src/domain/excerpts/TextExcerpt.ts"
import { searchTermsOf } from "../../../src/domain/excerpts/SearchTerms.ts"

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

const functions = (count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => [`export function part${index}() {`, `  step(${index})`, "}", ""]).flat()

const method = (name: string, message: string): ReadonlyArray<string> => [
  `    def ${name}(`,
  "        self,",
  "        data,",
  "    ):",
  '        """Says what is wrong with the data.',
  "",
  ...Array.from({ length: 12 }, () => "        A wrong key is a key that is wrong, as the data has it."),
  '        """',
  ...Array.from({ length: 10 }, (_, index) => `        step_${index} = data`),
  `        raise Problem("${message}")`,
  ...Array.from({ length: 10 }, (_, index) => `        other_${index} = data`),
  `        return "${name} ends"`,
  ""
]
const fillers = (count: number) =>
  Array.from({ length: count }, (_, at) => [`function filler${at}() {`, `  return ${at}`, "}", ""]).flat()

describe("excerptOf", () => {
  it.effect.prop(
    "never exceeds the budget, cuts nothing that fits, and accounts for every line",
    { lines: Lines, language: Language, limit: Limit, words: Schema.String },
    ({ language, limit, lines, words }) =>
      Effect.sync(() => {
        const { isWhole, lines: shown, text } = excerptOf(material(lines, language), searchTermsOf(words), limit)
        const whole = excerptOf(material(lines, language), searchTermsOf(""), Number.MAX_SAFE_INTEGER)
        expect(text.length).toBeLessThanOrEqual(limit)
        expect(isWhole).toBe(whole.text.length <= limit)
        if (isWhole) expect(text).toBe(whole.text)
        else expect(accounted(text)).toEqual(lines.map((_, index) => index + 1))
        expect([...shown].every((index) => index >= 0 && index < lines.length)).toBe(true)
        if (lines.every((line) => line.isWellFormed())) expect(text.isWellFormed()).toBe(true)
      })
  )

  it("shows the outline and the block that holds the words", () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => {
      if (index % 10 === 0) return `export function part${index / 10}() {`
      return index % 10 === 9 ? "}" : `  step(${index})`
    })
    const { lines: shown, text } = excerptOf(material(lines), searchTermsOf("Change step(12345) in part1234"), 3000)
    expect(text).toContain("12341: export function part1234() {\n")
    expect(text).toContain("12346:   step(12345)\n")
    expect(text).toContain("12350: }\n")
    expect(text).toContain("131: export function part13() {\n")
    expect(shown.size).toBeGreaterThan(20)
  })

  it("shows the declaration of a name before lines that hold more of the words", () => {
    const other = Array.from(
      { length: 60 },
      (_, index) => `const other${index} = "awaitProducers waits for tasks that a task refers to"`
    )
    const lines = [...other, "const awaitProducers = (tasks) =>", "  tasks.map(wait)", ...other]
    const source = { lines, language: "typescript", gap: (from: number, to: number) => `(${from}-${to})` }
    const words = searchTermsOf("Explain how `awaitProducers` waits for the tasks that a task refers to.")
    expect(excerptOf(source, words, 300).text).toContain("const awaitProducers")
  })

  it("shows of the imports only those of what the task names, and no outline beside the place that it means", () => {
    const lines = [
      'import fs from "node:fs"',
      "import {",
      "  readLimit,",
      "  two",
      '} from "./numbers.ts"',
      ...functions(300)
    ]
    const { text } = excerptOf(
      material(lines),
      searchTermsOf("Let `part250` use `readLimit`, and step 7 as it is."),
      1500
    )
    expect(text).toContain('2: import {\n3:   readLimit,\n4:   two\n5: } from "./numbers.ts"\n')
    expect(text).not.toContain("node:fs")
    expect(text).toContain("1006: export function part250() {\n1007:   step(250)\n1008: }")
    expect(text).not.toContain("function part3()")
  })

  const classes = ["import re", "", "class And:", ...method("validate", "None fits"), "class Schema:"].concat(
    method("validate", "Wrong key %r"),
    functions(20)
  )

  it("shows the whole function around a text that the task quotes, without its documentation where that has no room", () => {
    const task = searchTermsOf('Name the nearest key in the message "Wrong key".')
    const { text } = excerptOf(material(classes, "python"), task, 1400)
    const from = classes.findLastIndex((line) => line.includes("def validate")) + 1
    expect(text).toContain(`${from}:     def validate(\n`)
    expect(text).toContain('raise Problem("Wrong key %r")')
    expect(text).toContain('return "validate ends"')
    for (const name of ["step_0", "step_9", "other_0", "other_9"]) expect(text).toContain(`${name} = data`)
    expect(text).not.toContain("None fits")
  })

  it("shows the head, the line and the end of a function that has no room", () => {
    const { text } = excerptOf(
      material(classes, "python"),
      searchTermsOf('Correct "Wrong key" in `Schema.validate`.'),
      500
    )
    expect(text).toContain("def validate(")
    expect(text).toContain('raise Problem("Wrong key %r")')
    expect(text).toContain('return "validate ends"')
    expect(text).not.toContain("A wrong key is a key")
  })

  it("keeps together what is around the line of a long function, where many of its lines hold a word of the task", () => {
    const body = Array.from({ length: 120 }, (_, at) =>
      at % 4 === 0 ? `    fail(at, error=${at})` : `    step_${at}()`
    )
    const lines = ["def validate(data):", ...body, "    raise Problem(f'Wrong key {data}')", ...body, "    return data"]
    const task = "Report the error of a key that is wrong. Words: `Wrong key`, `validate`, `error`."
    const { lines: shown, text } = excerptOf(material(lines, "python"), searchTermsOf(task), 1700)
    const own = lines.findIndex((line) => line.includes("Wrong key"))
    expect(Array.from({ length: 21 }, (_, at) => own - 10 + at).every((at) => shown.has(at))).toBe(true)
    expect(text.match(/left out/g)?.length ?? 0).toBeLessThanOrEqual(6)
    const sizes = [...text.matchAll(/\((\d+) to (\d+) left out\)/g)].map(
      ([, from, to]) => Number(to) - Number(from) + 1
    )
    expect(Math.min(...sizes)).toBeGreaterThan(4)
  })

  it("shows of a class that has no room the lines that use what is looked for", () => {
    const body = Array.from({ length: 200 }, (_, at) =>
      at === 150 ? "        if isinstance(other, Ordered):" : `        self.step(${at})`
    )
    const lines = ["class Ordered:", "    def __init__(self, other):", ...body]
    const { text } = excerptOf(material(lines, "python"), searchTermsOf("Rename `Ordered`."), 900)
    expect(text).toContain("153:         if isinstance(other, Ordered):")
  })

  it("shows a declaration whose name holds a word of the task, before lines that hold the word", () => {
    const uses = Array.from({ length: 30 }, (_, at) => [
      `function part${at}() {`,
      `  note("unknown ${at}")`,
      "}"
    ]).flat()
    const lines = [...uses, "function stripUnknownValue() {", "  return value", "}", ...uses]
    const { text } = excerptOf(material(lines), searchTermsOf("Find what handles unknown input in `part3`."), 700)
    expect(text).toContain("function stripUnknownValue() {")
  })

  it("shows the whole function that holds most of the words, and no single lines of words that stand in many", () => {
    const many = Array.from({ length: 60 }, (_, at) => [
      `def part${at}(self, name, value):`,
      `    """Return the value of the name ${at}."""`,
      `    self.names[name] = value`,
      ...Array.from({ length: 8 }, (_, step) => `    value = self.step${step}(name, value)`),
      `    return value`,
      ""
    ]).flat()
    const check = [
      "def check(self, action, value):",
      "    # converted value must be one of the choices (if specified)",
      "    if action.choices is not None and value not in action.choices:",
      "        args = {'value': value, 'choices': action.choices}",
      "        raise ArgumentError(action, 'invalid choice: %(value)r' % args)"
    ]
    const rare = ["def other(self):", "    # This returns because of the nearest.", "    return self.value", ""]
    const lines = [...rare, ...many, ...check, "", ...many]
    const task = "When the value of a choice is invalid, return the name of the nearest choice in the error message."
    const { lines: shown, text } = excerptOf(material(lines, "python"), searchTermsOf(task), 600)
    const from = lines.indexOf(check[0] ?? "")
    expect(check.every((_, at) => shown.has(from + at))).toBe(true)
    const runs = [...shown].toSorted((a, b) => a - b).filter((at) => !shown.has(at - 1))
    expect(runs.length).toBeLessThanOrEqual(3)
    expect(runs.every((at) => shown.has(at + 1) && shown.has(at + 2))).toBe(true)
    expect(text).not.toMatch(/^1:/)
  })

  it.each(["entries", "queries", "retries"])("finds %s, whose stem it does not hold", (word) => {
    const lines = [...fillers(200), "function load() {", `  const ${word} = open(1)`, "}", "", ...fillers(200)]
    expect(excerptOf(material(lines), searchTermsOf(`Sort the ${word} by age.`), 900).text).toContain(`const ${word} =`)
  })

  it("takes no other word for one whose short stem it holds", () => {
    const others = Array.from({ length: 30 }, (_, at) => [
      `function strict${at}() {`,
      `  restrict(${at})`,
      "}",
      ""
    ]).flat()
    const lines = [...others, "function cut(a: string) {", "  return a", "}", "", ...others]
    expect(excerptOf(material(lines), searchTermsOf("Cut the string."), 700).text).toContain("a: string")
  })

  it.each([1, 2, 4])("shows beside the place that is meant a function that holds a word %d times", (count) => {
    const check = ["function check(a) {", ...Array.from({ length: count }, (_, at) => `  use${at}(timeout)`), "}", ""]
    const lines = [
      ...fillers(200),
      "function parse(a) {",
      "  return a",
      "}",
      "",
      ...fillers(200),
      ...check,
      ...fillers(50)
    ]
    const { text } = excerptOf(material(lines), searchTermsOf("Make `parse` refuse a negative timeout."), 4000)
    expect(text).toContain("use0(timeout)")
  })

  it("takes of several declarations with one name that of the class that is named with it", () => {
    const { text } = excerptOf(material(classes, "python"), searchTermsOf("Change `Schema.validate`."), 1200)
    expect(text).toContain("Wrong key %r")
    expect(text).not.toContain("None fits")
  })

  it("looks for what the prompt names when the task names nothing", () => {
    const { text } = excerptOf(
      material(classes, "python"),
      searchTermsOf("Do it.", 'The message "Wrong key" is bad.'),
      700
    )
    expect(text).toContain("Wrong key %r")
  })

  it("shows a long line around the word that it holds", () => {
    const line = `${"a".repeat(5000)} teapot ${"b".repeat(5000)}`
    const { text } = excerptOf(material([line], "json"), searchTermsOf("Find the teapot"), 700)
    expect(text).toContain(" teapot ")
    expect(text).toContain("(10008 characters)")
    expect(text.length).toBeLessThanOrEqual(700)
  })

  it("shows what is hidden when a note would be as long", () => {
    const lines = ["export function a() {", "", "export function b() {", ...Array(50).fill(`  ${"x".repeat(50)}`)]
    expect(excerptOf(material(lines), searchTermsOf(""), 200).text).toMatch(
      /^1: export function a\(\) \{\n2:\n3: export function b/
    )
  })

  it("has the headings of a document with fences in its outline, and not what they quote", () => {
    const body = `${"text ".repeat(60)}`
    const lines = ["# One", body, "````md", "```", "# Quoted", "```", "````", body, "## Two", body, "## Three", body]
    const { text } = excerptOf(material(lines, "markdown"), searchTermsOf(""), 250)
    expect(text).toContain("1: # One")
    expect(text).toContain("9: ## Two")
    expect(text).toContain("11: ## Three")
    expect(text).not.toContain("# Quoted")
  })

  it("gives an empty text as it is", () => {
    expect(excerptOf(material([]), searchTermsOf(""), 10)).toEqual({ text: "", lines: new Set(), isWhole: true })
  })
})
