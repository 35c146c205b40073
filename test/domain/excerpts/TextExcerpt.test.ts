import { expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { excerptOf } from "../../../src/domain/excerpts/TextExcerpt.ts"
import { searchTermsOf } from "../../../src/domain/excerpts/SearchTerms.ts"

const gap = (from: number, to: number): string => `(${from + 1} to ${to + 1} left out)`
const material = (lines: ReadonlyArray<string>, language = "typescript") => ({ lines, language, first: 1, gap })

/** The numbers of the lines that a fitted text shows or says to leave out, in order. */
const accounted = (text: string): ReadonlyArray<number> =>
  text.split("\n").flatMap((line) => {
    const [, from, to] = /^\((\d+) to (\d+) left out\)$/.exec(line) ?? []
    if (from !== undefined) return Array.from({ length: Number(to) - Number(from) + 1 }, (_, at) => Number(from) + at)
    return /^(\d+):/.exec(line)?.[1] === undefined ? [] : [Number(/^(\d+):/.exec(line)?.[1])]
  })

const awkward = ["", "export function load() {", "  return config", "```", "- item\r", "日本語 🍵", "🍵x".repeat(450)]
const Line = Schema.Union([Schema.Literals(awkward), Schema.String.check(Schema.isPattern(/^[^\n]*$/))])
const Lines = Schema.Array(Line).check(Schema.isMaxLength(120))
const Language = Schema.Literals(["typescript", "python", "markdown", "page", "text", "json", ""])
const Limit = Schema.Int.check(Schema.isBetween({ minimum: 60, maximum: 4000 }))

const times = <A>(count: number, make: (at: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, at) => make(at))

const functions = (count: number): ReadonlyArray<string> =>
  times(count, (at) => [`export function part${at}() {`, `  step(${at})`, "}", ""]).flat()

const method = (name: string, message: string): ReadonlyArray<string> => [
  `    def ${name}(`,
  "        self,",
  "        data,",
  "    ):",
  '        """Says what is wrong with the data.',
  "",
  ...times(12, () => "        A wrong key is a key that is wrong, as the data has it."),
  '        """',
  ...times(10, (at) => `        step_${at} = data`),
  `        raise Problem("${message}")`,
  ...times(10, (at) => `        other_${at} = data`),
  `        return "${name} ends"`,
  ""
]
const classes = [
  "import re",
  "",
  "class And:",
  ...method("validate", "None fits"),
  "class Schema:",
  ...method("validate", "Wrong key %r"),
  ...functions(20)
]
const [raises, ends] = ['raise Problem("Wrong key %r")', 'return "validate ends"']

/** What an excerpt of lines shows for a task in so many characters: parts of its text, and parts that it lacks. */
interface Shown {
  readonly lines: ReadonlyArray<string>
  readonly language?: string
  readonly task: string
  readonly limit: number
  readonly shows: ReadonlyArray<string>
  readonly lacks?: ReadonlyArray<string>
}

const notes = times(30, (at) => [`function part${at}() {`, `  note("unknown ${at}")`, "}"]).flat()

const excerpts: Readonly<Record<string, Shown>> = {
  "the whole function around a text that the task quotes, without its documentation where that has no room": {
    lines: classes,
    language: "python",
    task: 'Name the nearest key in the message "Wrong key".',
    limit: 1400,
    shows: ["    def validate(\n", raises, ends, ...["step_0", "other_9"].map((name) => `${name} = data`)],
    lacks: ["None fits"]
  },
  "the head and the line of a function that has no room": {
    lines: classes,
    language: "python",
    task: 'Correct "Wrong key" in `Schema.validate`.',
    limit: 500,
    shows: ["def validate(", raises],
    lacks: ["A wrong key is a key"]
  },
  "what a declaration that is named calls, and no overloads": {
    lines: [
      ...functions(200),
      "function load() {",
      "  return parse(find(1), say(2))",
      "}",
      "",
      ...functions(200)
    ].concat(
      ["parse", "find", "say", "say", "say"].flatMap((name, at) => [`function ${name}() {`, `  return ${at}`, "}", ""])
    ),
    task: "Correct `load`.",
    limit: 600,
    shows: ["function load() {", "function parse() {", "function find() {"],
    lacks: ["function say() {"]
  },
  "a declaration whose name holds a word of the task, before lines that hold the word": {
    lines: [...notes, "function stripUnknownValue() {", "  return value", "}", ...notes],
    task: "Find what handles unknown input in `part3`.",
    limit: 700,
    shows: ["function stripUnknownValue() {"]
  }
}

it.prop(
  "never exceeds the budget, cuts nothing that fits, and accounts for every line",
  { lines: Lines, language: Language, limit: Limit, words: Schema.String },
  ({ language, limit, lines, words }) => {
    const { isWhole, lines: shown, text } = excerptOf(material(lines, language), searchTermsOf(words), limit)
    const whole = excerptOf(material(lines, language), searchTermsOf(""), Number.MAX_SAFE_INTEGER)
    expect(text.length).toBeLessThanOrEqual(limit)
    expect(isWhole).toBe(whole.text.length <= limit)
    if (isWhole) expect(text).toBe(whole.text)
    else expect(accounted(text)).toEqual(lines.map((_, index) => index + 1))
    expect([...shown].every((index) => index >= 0 && index < lines.length)).toBe(true)
    if (lines.every((line) => line.isWellFormed())) expect(text.isWellFormed()).toBe(true)
  }
)

it.each(Object.entries(excerpts))("shows %s", (_, { lacks = [], language, limit, lines, shows, task }) => {
  const { text } = excerptOf(material(lines, language), searchTermsOf(task), limit)
  expect(shows.filter((part) => !text.includes(part))).toEqual([])
  expect(lacks.filter((part) => text.includes(part))).toEqual([])
})

it("shows the whole function that holds most of the words, and no single lines of words that stand in many", () => {
  const many = times(60, (at) => [
    `def part${at}(self, name, value):`,
    `    """Return the value of the name ${at}."""`,
    `    self.names[name] = value`,
    ...times(8, (step) => `    value = self.step${step}(name, value)`),
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
  const lines = [...functions(200), "function load() {", `  const ${word} = open(1)`, "}", "", ...functions(200)]
  expect(excerptOf(material(lines), searchTermsOf(`Sort the ${word} by age.`), 900).text).toContain(`const ${word} =`)
})

it.each([1, 2, 4])("shows beside the place that is meant a function that holds a word %d times", (count) => {
  const parse = ["function parse(a) {", "  return a", "}", ""]
  const check = ["function check(a) {", ...times(count, (at) => `  use${at}(timeout)`), "}", ""]
  const lines = [...functions(200), ...parse, ...functions(200), ...check, ...functions(50)]
  const { text } = excerptOf(material(lines), searchTermsOf("Make `parse` refuse a negative timeout."), 4000)
  expect(text).toContain("use0(timeout)")
})

it("gives an empty text as it is, and lines without numbers where there is no first one", () => {
  expect(excerptOf({ lines: ["a", "b"], language: "", gap }, searchTermsOf(""), 10).text).toBe("a\nb")
  expect(excerptOf(material([]), searchTermsOf(""), 10)).toEqual({ text: "", lines: new Set(), isWhole: true })
})
